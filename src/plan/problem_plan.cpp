#include "plan/problem_plan.h"

#include <algorithm>

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

bool has_hot_inputs(const ProblemPlan& problem) {
  return std::ranges::any_of(problem.tensors, &Tensor::hot);
}

std::string temperatures(const ProblemPlan& problem) {
  std::string text;
  for (const Tensor& tensor : problem.tensors)
    if (tensor.role != Role::output && !tensor.unread && tensor.elements() > 0)
      text += (text.empty() ? "" : ", ") + tensor.name + (tensor.hot ? " hot" : " cold");
  return text;
}

std::string hot_inputs(const ProblemPlan& problem) {
  std::string names;
  for (const Tensor& tensor : problem.tensors)
    if (tensor.hot) names += ", " + tensor.name;
  return names.empty() ? names : names + " hot";
}

double bytes_from_dram(const ProblemPlan& problem, std::int64_t l2_bytes) {
  double hot = 0;
  for (const Tensor& tensor : problem.tensors)
    if (tensor.hot && !tensor.unread) hot += static_cast<double>(tensor.bytes());
  return std::max(0.0, problem.bytes - std::min(hot, static_cast<double>(l2_bytes)));
}

}  // namespace kerlab::plan
