#include "session/bench/yardstick_summary.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace kerlab::session {

namespace {

using Chosen = std::function<bool(const ComparedProblem&)>;

RatioSummary ratio_summary(const std::vector<ComparedProblem>& compared, const std::string& against,
                           const std::string& dtypes, const Chosen& chosen) {
  RatioSummary summary;
  summary.against = against;
  summary.dtypes = dtypes;
  double logs = 0, logs_low = 0;
  for (const ComparedProblem& problem : compared) {
    if (problem.against != against || !chosen(problem) || problem.ratio.interval.low <= 0) continue;
    const double low = problem.ratio.interval.low;
    ++summary.problems;
    logs += std::log(problem.ratio.ratio);
    logs_low += std::log(low);
    if (low < kLostBelow) ++summary.lost;
    if (summary.problems > 1 && low >= summary.worst_low) continue;
    summary.worst = problem.title;
    summary.worst_ratio = problem.ratio.ratio;
    summary.worst_low = low;
  }
  if (summary.problems == 0) return summary;
  summary.mean = std::exp(logs / summary.problems);
  summary.mean_low = std::exp(logs_low / summary.problems);
  return summary;
}

template <typename Value>
void add_new(std::vector<Value>& values, const Value& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

bool is_16_bit(DType dtype) {
  return dtype == DType::bf16 || dtype == DType::fp16;
}

}  // namespace

std::vector<RatioSummary> summarize_ratios(const std::vector<ComparedProblem>& compared) {
  std::vector<std::string> ways;
  std::vector<DType> dtypes;
  for (const ComparedProblem& problem : compared) {
    add_new(ways, problem.against);
    add_new(dtypes, problem.dtype);
  }
  const auto wide = std::count_if(dtypes.begin(), dtypes.end(), is_16_bit);
  const bool others = static_cast<std::size_t>(wide) < dtypes.size();
  std::vector<RatioSummary> summaries;
  for (const std::string& way : ways) {
    for (const DType dtype : dtypes)
      summaries.push_back(ratio_summary(compared, way, std::string(name(dtype)),
                                        [dtype](const ComparedProblem& problem) { return problem.dtype == dtype; }));
    if (wide > 1)
      summaries.push_back(
          ratio_summary(compared, way, "16 bit", [](const ComparedProblem& p) { return is_16_bit(p.dtype); }));
    if (others && dtypes.size() > 1)
      summaries.push_back(ratio_summary(compared, way, "all", [](const ComparedProblem&) { return true; }));
  }
  std::erase_if(summaries, [](const RatioSummary& summary) { return summary.problems == 0; });
  return summaries;
}

}  // namespace kerlab::session
