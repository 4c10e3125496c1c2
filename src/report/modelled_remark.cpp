#include "report/modelled_remark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kerlab {
namespace {

/// Of a recorded sweep: model over measured less 1, in per cent, that 10 and 90 % of the configurations stay below.
struct Compared {
  std::string_view family, dtype;
  int low, high, configurations;
  bool held_out;
};

// An H200 and model-4: `kerlab model` (sweep by sweep: time_model.h).
constexpr std::array kCompared = {
    Compared{"gemm", "fp32", -11, 28, 184, true},   Compared{"gemm", "bf16", -46, 17, 328, true},
    Compared{"reduce", "fp32", 3, 21, 32, true},    Compared{"reduce", "bf16", -9, 44, 32, true},
    Compared{"softmax", "fp32", -33, 16, 56, true}, Compared{"softmax", "bf16", -32, 25, 104, true},
};

}  // namespace

std::string modelled_remark(std::string_view family, std::string_view dtype) {
  const auto known = [&](const Compared& c) { return c.family == family && c.dtype == dtype; };
  const auto at = std::find_if(kCompared.begin(), kCompared.end(), known);
  if (at == kCompared.end())
    return fmt::format("modelled, not measured; never compared with measurements of {} {}", family, dtype);
  return fmt::format(
      "modelled, not measured: 8 of 10 were off by {:+} % to {:+} % ({} {}, {} configurations on an H200, {})", at->low,
      at->high, family, dtype, at->configurations, at->held_out ? "held out" : "those that the model was fitted to");
}

}  // namespace kerlab
