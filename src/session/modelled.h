#pragma once
// Modelled times of emulated runs.

#include "measure/timing.h"
#include "plan/device_info.h"
#include "plan/problem_plan.h"

namespace kerlab {

/// Sets the only sample of an emulated run to what the model says, and says by what it is bound. `resources`: of the
/// candidate's kernels. Never below the theoretical roof of the problem.
void model_time(SampleSet& samples, const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                const DeviceInfo& device);

}  // namespace kerlab
