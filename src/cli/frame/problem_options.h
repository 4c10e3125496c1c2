#pragma once
// `kerlab tune gemm --M 4K --layout nt`: options that only the family knows, taken out before the parser looks.

#include <map>
#include <string>
#include <vector>

#include "session/run/arguments.h"

namespace kerlab::cli {

/// Takes every `--NAME VALUE` and `--NAME=VALUE` that is not in `known` out of `words`. `known` says of each option
/// ("--device", "-h") whether a value follows it. Throws UsageError when a value is missing.
std::vector<ProblemArgument> take_problem_options(const std::map<std::string, bool>& known,
                                                  std::vector<std::string>& words);

}  // namespace kerlab::cli
