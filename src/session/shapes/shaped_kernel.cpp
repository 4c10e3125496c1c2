#include "session/shapes/shaped_kernel.h"

#include "base/error.h"
#include "base/interrupt.h"
#include "session/shapes/few_sms.h"

namespace kerlab::session {

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

std::optional<LaunchPlan> shape_plan(const ShapedKernel& kernel, const Problem& problem, const DeviceInfo& device) {
  try {
    return instantiate(kernel.family, kernel.variant, problem, kernel.configuration, device).plan;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace kerlab::session
