#pragma once
// One element of an input, computed on the host: recipes are pure functions of the place.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/lab_abi.h"
#include "common/number.h"
#include "plan/problem_plan.h"

namespace kerlab::verify {

class InputValues {
 public:
  /// Throws Error when the problem has no such tensor.
  InputValues(const ProblemPlan& plan, const Recipe& recipe, const std::string& tensor);
  [[nodiscard]] double at(std::int64_t element) const;
  /// The same as it lies in memory.
  [[nodiscard]] std::uint64_t bits_at(std::int64_t element) const;

 private:
  std::shared_ptr<const std::vector<std::int64_t>> offsets_;  // of rows that another tensor parts
  lab::FillArguments fill_;
  lab::Format format_;
  lab::u64 key_, constant_;
};

}  // namespace kerlab::verify
