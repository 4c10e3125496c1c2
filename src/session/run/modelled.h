#pragma once
// Modelled times of emulated runs.

#include <string>
#include <utility>
#include <vector>

#include "measure/timing.h"
#include "model/time_model.h"
#include "plan/device_info.h"
#include "plan/problem_plan.h"

namespace kerlab::session {

/// Fills of workspaces are none of the kernel's launches.
bool is_fill(const CountedLaunch& launch);

/// A variant's [predicted] for a configuration: counter and value of one run.
using PredictedCounts = std::vector<std::pair<std::string, std::int64_t>>;

/// What a run's launches executed, each with its share of the problem's least traffic (hot inputs that L2 holds are no
/// part of it). `resources`: of its kernels.
/// Blocks have unlike work where a mask leaves some of them less: those that were run stand for all by the FLOPs that
/// are `predicted` of all (tensor cores', else the others'; nothing predicted: as if all were alike).
std::vector<CountedWork> counted_work(const std::vector<CountedLaunch>& launches,
                                      const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                                      const PredictedCounts& predicted, const DeviceInfo& device);

/// What the model says of each launch of an emulated run.
std::vector<ModelledTime> model_launches(const std::vector<CountedLaunch>& launches,
                                         const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                                         const PredictedCounts& predicted, const DeviceInfo& device);

/// Peaks of the device for the problem's dtype.
Ceilings model_ceilings(const ProblemPlan& problem, const DeviceInfo& device);

/// Sets the only sample of an emulated run to what the model says, and says by what it is bound. `resources`: of the
/// candidate's kernels. Never below the theoretical roof of the problem.
void model_time(SampleSet& samples, const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                const PredictedCounts& predicted, const DeviceInfo& device);

}  // namespace kerlab::session
