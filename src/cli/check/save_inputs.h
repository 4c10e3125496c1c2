#pragma once
// `kerlab check --save-inputs`.

#include "cli/frame/command.h"
#include "session/check/check.h"

namespace kerlab::cli {

/// Writes the inputs of the problem asked for; needs no device. Nothing is checked.
ExitCode run_save_inputs(const CheckOptions& options, const std::string& folder, const GlobalOptions& global);

}  // namespace kerlab::cli
