#pragma once
// A kernel whose problems are sought: which it takes, and what it launches for them.

#include <optional>
#include <vector>

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

/// The most that one of its flags has; 1: it has no flag.
std::size_t most_flag_values(const Family& family);

/// With each other value of that flag alone, valid or not.
std::vector<ProblemRequest> with_other_values(const ProblemRequest& request, const Flag& flag);

/// What a request must be to be tried: a problem that the configuration is valid for.
std::optional<Problem> valid_problem(const ShapedKernel& kernel, const ProblemRequest& request);

/// With the `turn`th value behind its own of each flag that has so many, where that is valid.
ProblemRequest with_flags_turned(const ShapedKernel& kernel, ProblemRequest request, std::size_t turn);

/// What the kernel launches for the problem on the device; none: it has no plan at these extents.
std::optional<LaunchPlan> shape_plan(const ShapedKernel& kernel, const Problem& problem, const DeviceInfo& device);

}  // namespace kerlab::session
