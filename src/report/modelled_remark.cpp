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

// An H200 and model-3: `kerlab model` (sweep by sweep: time_model.h).
constexpr std::array kCompared = {
    Compared{"gemm", "fp32", -30, 9, 80, true},
    Compared{"gemm", "bf16", -6, 11, 192, false},
    Compared{"softmax", "fp32", -12, 18, 54, false},
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
