#pragma once
// What one run costs on the data that are timed, counted by a kernel of the reference.

#include <cstddef>
#include <span>

#include "device/lab.h"
#include "plan/problem_plan.h"

namespace kerlab::worker {

/// NaN: the kernel has not written it.
struct CountedCost {
  double flops = 0, bytes = 0;
};

/// Makes the inputs of the first recipe, runs the launch once over them and reads the workspace `cost` that it writes.
/// Throws DeviceFault.
CountedCost count_cost(Lab& lab, ProblemPlan plan, std::span<const std::byte> reference_image, const Launch& launch);

}  // namespace kerlab::worker
