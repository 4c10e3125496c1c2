#pragma once
// What an output should be, as it was computed elsewhere and recorded.

#include <cmath>

#include "plan/npy.h"
#include "plan/problem_plan.h"

namespace kerlab::verify {

class RecordedValues {
 public:
  /// Throws Error where a file is not what it was when the plan was made, or does not hold as many numbers as `output`.
  RecordedValues(const RecordedFiles& files, const Tensor& output);
  /// By the number's place in the output; a complex element has two.
  [[nodiscard]] double value(std::size_t i) const { return value_.number(i); }
  [[nodiscard]] double scale(std::size_t i) const { return has_scale_ ? scale_.number(i) : std::fabs(value(i)); }

 private:
  NpyArray value_, scale_;
  bool has_scale_ = false;
};

}  // namespace kerlab::verify
