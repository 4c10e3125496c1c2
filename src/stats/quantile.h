#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/modules.h"

namespace kerlab::stats {

/// The sample, of at least one, below which that share of the others lies.
inline double quantile(std::vector<double> samples, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1) + 0.5);
  std::ranges::nth_element(samples, samples.begin() + at);
  return samples[static_cast<std::size_t>(at)];
}

}  // namespace kerlab::stats
