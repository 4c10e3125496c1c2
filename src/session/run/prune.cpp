#include "session/run/prune.h"

#include <cmath>

#include "device/launch_limits.h"
#include "model/roofline.h"
#include "plan/kernel_name.h"

namespace kerlab::session {

namespace {

std::int64_t threads_of(const Launch& launch) {
  return std::int64_t{launch.block.x} * launch.block.y * launch.block.z;
}

Ending rejected(TrialReason reason, std::string why) {
  return {TrialStatus::rejected, std::move(why), reason};
}

Ending over_limit(const DeviceInfo& device, const Launch& launch, const KernelResources& kernel) {
  std::string error = launch_limit_error(device, launch, kernel);
  if (error.empty()) return {};
  const std::int64_t shared = std::int64_t{kernel.static_shared} + launch.dynamic_shared;
  return rejected(shared > device.shared_per_block ? TrialReason::shared_memory : TrialReason::launch,
                  std::move(error));
}

Ending impossible_with(const DeviceInfo& device, const Launch& launch, const KernelResources& kernel) {
  if (Ending limit = over_limit(device, launch, kernel); !limit.passed()) return limit;
  const int shared = kernel.static_shared + static_cast<int>(launch.dynamic_shared);
  const auto threads = static_cast<int>(threads_of(launch));
  const Occupancy fit = occupancy(device, threads, kernel.registers, shared);
  if (fit.blocks > 0) return {};
  return rejected(TrialReason::occupancy,
                  fmt::format("kernel '{}': not one block of {} threads with {} registers each fits an SM ({})",
                              launch.kernel, threads, kernel.registers, fit.limiter));
}

}  // namespace

Ending impossible_launch(const DeviceInfo& device, const LaunchPlan& plan) {
  for (const Launch& launch : plan.launches)
    if (Ending limit = over_limit(device, launch, {}); !limit.passed()) return limit;
  return {};
}

double least_us(const DeviceInfo& device, const LaunchPlan& plan, double compute_us) {
  if (plan.launches.size() != 1 || device.sms <= 0) return compute_us;
  const Dim3& grid = plan.launches.front().grid;
  const double blocks = static_cast<double>(grid.x) * grid.y * grid.z;
  if (blocks < 1) return compute_us;
  return compute_us * std::ceil(blocks / device.sms) * device.sms / blocks;
}

Ending reason_to_reject(const DeviceInfo& device, const LaunchPlan& plan, const CompileResult& compiled,
                        bool allow_spills) {
  if (compiled.wgmma_serialised) return rejected(TrialReason::serialised, "wgmma is serialised (ptxas C7511)");
  for (const Launch& launch : plan.launches) {
    const KernelResources* kernel = find_resources(compiled.kernels, launch.kernel);
    if (kernel == nullptr) continue;  // the load will say what is missing
    if (Ending impossible = impossible_with(device, launch, *kernel); !impossible.passed()) return impossible;
    if (!allow_spills && kernel->spill_bytes > kMostSpillBytes) {
      return rejected(TrialReason::spills,
                      fmt::format("kernel '{}': spills {} bytes a thread, more than {} (try it anyway: --spills)",
                                  launch.kernel, kernel->spill_bytes, kMostSpillBytes));
    }
  }
  return {};
}

}  // namespace kerlab::session
