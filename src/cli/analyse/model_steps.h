#pragma once
// `kerlab model --steps N`: ratios of modelled times of neighbouring configurations against measured ones.

#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "session/analyse/sweeps.h"

namespace kerlab::cli {

/// Counts `anchors` configurations of each sweep and their neighbours, and prints how the ratios agree.
ExitCode compare_steps(const std::vector<Sweep>& sweeps, std::size_t anchors, const GlobalOptions& global);

/// "fp32" of "gemm M=1 N=2 K=3 fp32 layout=nn".
std::string dtype_of(const Sweep& sweep);

}  // namespace kerlab::cli
