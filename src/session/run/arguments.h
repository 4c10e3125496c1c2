#pragma once
// Dimensions, flags and scalars as typed (`--M 4K --layout nt --alpha 2`): turned into a problem request.

#include <cstdint>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace kerlab::session {

/// An option that the command itself does not know: `--NAME VALUE`.
struct ProblemArgument {
  std::string name, value;
  std::string near_option = {};  ///< of the command: "--dtype", where that may have been meant
};

/// "4096", "4K" (4096), "1M", "2G". Throws UsageError, naming `option`, for anything else, negative, or above 2^62.
std::int64_t parse_size(const std::string& option, const std::string& text);

/// "4096", "1K,3K", "1K..16K:x2", "256..1024:+256": every value, in order. Throws UsageError.
std::vector<std::int64_t> parse_sizes(const std::string& option, const std::string& text);

/// One problem. Throws UsageError that suggests the nearest of the family's names for an unknown one.
ProblemRequest make_request(const Family& family, const std::vector<ProblemArgument>& arguments,
                            const std::string& dtype);

/// Every combination of the listed sizes, flag values, scalars and dtypes ("fp16,bf16"); the last named varies fastest.
std::vector<ProblemRequest> make_requests(const Family& family, const std::vector<ProblemArgument>& arguments,
                                          const std::string& dtypes);

/// " --M 4096 --dtype bf16", from "gemm M=4096 bf16".
std::string problem_options(const std::string& key);

/// "gemm M=4096 N=4096 K=4096 bf16 layout=nn alpha=1 beta=0" back into the request that made it. Throws UsageError when
/// the family no longer has what it names.
ProblemRequest request_of_key(const Family& family, const std::string& key);

}  // namespace kerlab::session
