#pragma once
// Pure functions on samples. Undefined results are empty, never NaN.

#include <optional>
#include <vector>

#include "base/modules.h"

namespace kerlab::stats {

struct Interval {
  double low = 0, high = 0;
};

std::optional<double> median(std::vector<double> samples);
std::optional<double> median_absolute_deviation(const std::vector<double>& samples);
/// Distribution-free interval of the median from order statistics (binomial; below 6 samples: minimum and maximum).
std::optional<Interval> median_interval(std::vector<double> samples, double confidence = 0.95);

struct Summary {
  double median = 0, low = 0, high = 0, mad = 0, minimum = 0;
  int count = 0;
};
std::optional<Summary> summarize(const std::vector<double>& samples);

/// Ratio a/b of paired samples: median of the pairwise ratios with its interval.
struct PairedRatio {
  double ratio = 1;
  Interval interval;
};
std::optional<PairedRatio> paired_ratio(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace kerlab::stats
