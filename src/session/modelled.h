#pragma once
// Modelled times of emulated runs.

#include "measure/timing.h"
#include "model/time_model.h"
#include "plan/device_info.h"
#include "plan/problem_plan.h"

namespace kerlab {

/// What the model says of each launch of an emulated run. `resources`: of the candidate's kernels.
std::vector<ModelledTime> model_launches(const std::vector<CountedLaunch>& launches,
                                         const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                                         const DeviceInfo& device);
/// Bytes of DRAM traffic that each launch has of the least that the problem needs: by its share of all sectors.
std::vector<double> dram_shares(const std::vector<CountedLaunch>& launches, const ProblemPlan& problem);
/// What the time model takes of a launch.
CountedWork counted_work(const CountedLaunch& launch, const std::vector<KernelResources>& resources);

/// Sets the only sample of an emulated run to what the model says, and says by what it is bound. Never below
/// the theoretical roof of the problem.
void model_time(SampleSet& samples, const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                const DeviceInfo& device);

}  // namespace kerlab
