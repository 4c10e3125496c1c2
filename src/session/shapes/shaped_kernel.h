#pragma once
// A kernel whose problems are sought: which it takes, and what it launches for them.

#include <optional>

#include "plan/launch_size.h"
#include "spec/spec.h"

namespace kerlab::session {

/// A kernel whose problems are sought, and where.
struct ShapedKernel {
  const Family& family;
  const Variant& variant;
  const Configuration& configuration;
  const DeviceInfo& device;
};

/// What a request must be to be tried: a problem that the configuration is valid for.
std::optional<Problem> valid_problem(const ShapedKernel& kernel, const ProblemRequest& request);

/// What the kernel launches for the problem on the device; none: it has no plan at these extents.
std::optional<LaunchPlan> shape_plan(const ShapedKernel& kernel, const Problem& problem, const DeviceInfo& device);

}  // namespace kerlab::session
