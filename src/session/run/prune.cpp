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

std::string impossible_with(const DeviceInfo& device, const Launch& launch, const KernelResources& kernel) {
  if (std::string limit = launch_limit_error(device, launch, kernel); !limit.empty()) return limit;
  const int shared = kernel.static_shared + static_cast<int>(launch.dynamic_shared);
  const auto threads = static_cast<int>(threads_of(launch));
  const Occupancy fit = occupancy(device, threads, kernel.registers, shared);
  if (fit.blocks > 0) return {};
  return fmt::format("kernel '{}': not one block of {} threads with {} registers each fits an SM ({})", launch.kernel,
                     threads, kernel.registers, fit.limiter);
}

}  // namespace

std::string impossible_launch(const DeviceInfo& device, const LaunchPlan& plan) {
  for (const Launch& launch : plan.launches) {
    if (std::string limit = launch_limit_error(device, launch, {}); !limit.empty()) return limit;
  }
  return {};
}

double least_us(const DeviceInfo& device, const LaunchPlan& plan, double compute_us) {
  if (plan.launches.size() != 1 || device.sms <= 0) return compute_us;
  const Dim3& grid = plan.launches.front().grid;
  const double blocks = static_cast<double>(grid.x) * grid.y * grid.z;
  if (blocks < 1) return compute_us;
  return compute_us * std::ceil(blocks / device.sms) * device.sms / blocks;
}

std::string reason_to_reject(const DeviceInfo& device, const LaunchPlan& plan, const CompileResult& compiled,
                             bool allow_spills) {
  if (compiled.wgmma_serialised) return "wgmma is serialised (ptxas C7511)";
  for (const Launch& launch : plan.launches) {
    const KernelResources* kernel = find_resources(compiled.kernels, launch.kernel);
    if (kernel == nullptr) continue;  // the load will say what is missing
    if (std::string impossible = impossible_with(device, launch, *kernel); !impossible.empty()) return impossible;
    if (!allow_spills && kernel->spill_bytes > kMostSpillBytes) {
      return fmt::format("kernel '{}': spills {} bytes a thread, more than {} (try it anyway: --spills)", launch.kernel,
                         kernel->spill_bytes, kMostSpillBytes);
    }
  }
  return {};
}

}  // namespace kerlab::session
