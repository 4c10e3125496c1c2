#pragma once
// Ours against the vendor's library over many problems: what counts is the lower bound of each ratio's interval.

#include <string>
#include <vector>

#include "plan/dtype.h"
#include "session/run/library_rows.h"

namespace kerlab::session {

/// Below this a problem counts as lost (issue 6).
inline constexpr double kLostBelow = 0.97;

/// Problems of some dtypes against one way of the library's.
struct RatioSummary {
  std::string against;  ///< "library's pick", "library's best"
  std::string dtypes;   ///< "bf16", "16 bit", "all"
  int problems = 0;
  double mean = 0, mean_low = 0;  ///< geometric means of the ratios, and of the lower bounds of their 95 % intervals
  std::string worst;              ///< problem of the least lower bound
  double worst_ratio = 0, worst_low = 0;
  int lost = 0;  ///< problems whose lower bound is below kLostBelow
};

/// One problem's ratio: the library's time over ours.
struct ComparedProblem {
  std::string title;
  DType dtype = DType::fp32;
  std::string against;
  PairedRatio ratio;
};

/// For each way, in their order of appearance: every dtype there is, then those of 16 bits where they are several, then
/// all where there are more.
std::vector<RatioSummary> summarize_ratios(const std::vector<ComparedProblem>& compared);

}  // namespace kerlab::session
