#pragma once
// A logarithmic axis of a drawing.

#include <cmath>
#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::report {

/// One logarithmic axis: the powers of ten from `low` to `high` over the pixels from `from` to `to`.
struct LogAxis {
  double low = 0, high = 1, from = 0, to = 1;
  [[nodiscard]] double pixel(double value) const {
    return from + (std::log10(value) - low) / (high - low) * (to - from);
  }
  [[nodiscard]] double per_decade() const { return (to - from) / (high - low); }
  [[nodiscard]] std::vector<double> decades() const {
    std::vector<double> values;
    for (double exponent = std::ceil(low - 1e-9); exponent <= high + 1e-9; ++exponent)
      values.push_back(std::pow(10, exponent));
    return values;
  }
};

/// "1 K", "10 T": a power of ten.
std::string decade_label(double value);

}  // namespace kerlab::report
