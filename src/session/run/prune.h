#pragma once
// What is never launched: launches that the device cannot take, kernels that cannot run well. Pure.

#include "compile/compiler.h"
#include "plan/launch_plan.h"
#include "session/run/ending.h"

namespace kerlab::session {

/// Spilled bytes per thread (stores plus loads) above which a configuration is rejected unless asked for.
inline constexpr int kMostSpillBytes = 64;

/// Rejected where the device would refuse a launch of the plan, which is known without compiling; else passed.
Ending impossible_launch(const DeviceInfo& device, const LaunchPlan& plan);

/// A plan whose arithmetic alone takes `compute_us` when every SM has its share of it: the time of the SM that has
/// most, since blocks cannot be divided. Of one launch whose blocks do alike; of others `compute_us` as it is.
double least_us(const DeviceInfo& device, const LaunchPlan& plan, double compute_us);

/// Rejected where a compiled plan is not worth launching: shared memory or registers that leave no room for one block,
/// serialised wgmma, spills above the limit; else passed.
Ending reason_to_reject(const DeviceInfo& device, const LaunchPlan& plan, const CompileResult& compiled,
                        bool allow_spills);

}  // namespace kerlab::session
