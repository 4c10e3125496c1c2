#include "plan/problem_plan.h"

namespace kerlab::plan {

std::string_view name(Role role) {
  switch (role) {
    case Role::input:
      return "input";
    case Role::output:
      return "output";
    case Role::inout:
      break;
  }
  return "inout";
}

std::int64_t Tensor::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::int64_t Tensor::bytes() const {
  return bytes_of(dtype, elements());
}

}  // namespace kerlab::plan
