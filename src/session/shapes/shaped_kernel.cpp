#include "session/shapes/shaped_kernel.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "session/shapes/few_sms.h"

namespace kerlab::session {

std::size_t most_flag_values(const Family& family) {
  std::size_t most = 1;
  for (const Flag& flag : family.flags) most = std::max(most, flag.values.size());
  return most;
}

std::vector<ProblemRequest> with_other_values(const ProblemRequest& request, const Flag& flag) {
  std::vector<ProblemRequest> others;
  for (const std::string& value : flag.values) {
    if (value == request.flags.at(flag.name)) continue;
    others.push_back(request);
    others.back().flags[flag.name] = value;
  }
  return others;
}

std::optional<Problem> valid_problem(const ShapedKernel& kernel, const ProblemRequest& request) {
  end_interrupted_wait();  // of many variants this takes seconds
  std::optional<Problem> problem;
  try {
    problem = make_problem(kernel.family, request);
  } catch (const UsageError&) {
    return std::nullopt;
  }
  if (!device_of_any(kernel.variant, *problem, kernel.configuration, kernel.device)) return std::nullopt;
  return problem;
}

ProblemRequest with_flags_turned(const ShapedKernel& kernel, ProblemRequest request, std::size_t turn) {
  for (const Flag& flag : kernel.family.flags) {
    if (turn == 0 || turn >= flag.values.size()) continue;
    std::string& value = request.flags.at(flag.name);
    const auto own = std::ranges::find(flag.values, value);
    const std::size_t at = static_cast<std::size_t>(own - flag.values.begin()) + turn;
    const std::string before = std::exchange(value, flag.values[at % flag.values.size()]);
    if (!valid_problem(kernel, request)) value = before;
  }
  return request;
}

std::optional<LaunchPlan> shape_plan(const ShapedKernel& kernel, const Problem& problem, const DeviceInfo& device) {
  try {
    return instantiate(kernel.family, kernel.variant, problem, kernel.configuration, device).plan;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace kerlab::session
