#pragma once
// `kerlab check --sanitize`.

#include "cli/frame/command.h"
#include "session/check/check.h"

namespace kerlab::cli {

struct SanitizeCommand {
  CheckOptions options;
  std::string suite;            ///< every problem of it; empty: the one of the options
  bool second_opinion = false;  ///< compute-sanitizer on a GPU, after each
};

/// ExitCode::wrong where anything was found.
ExitCode run_sanitize(const SanitizeCommand& command, const GlobalOptions& global);

}  // namespace kerlab::cli
