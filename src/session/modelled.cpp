#include "session/modelled.h"

#include <algorithm>

#include "model/time_model.h"
#include "session/problem_setup.h"

namespace kerlab {
namespace {

const KernelResources* of_kernel(const std::vector<KernelResources>& resources, const std::string& kernel) {
  const auto at =
      std::find_if(resources.begin(), resources.end(), [&](const KernelResources& r) { return r.kernel == kernel; });
  return at == resources.end() ? nullptr : &*at;
}

/// 32-byte sectors that all blocks touch.
double sectors(const CountedLaunch& launch) {
  if (launch.blocks_run <= 0) return 0;
  return static_cast<double>(launch.counts.global_sectors) * static_cast<double>(launch.blocks) /
         static_cast<double>(launch.blocks_run);
}

}  // namespace

void model_time(SampleSet& samples, const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                const DeviceInfo& device) {
  const DType dtype = problem.tensors.empty() ? DType::fp32 : problem.tensors.front().dtype;
  const Ceilings ceilings = theoretical_ceilings(device, dtype, uses_tensor_cores(dtype));
  double all_sectors = 0, us = 0;
  for (const CountedLaunch& launch : samples.launches) all_sectors += sectors(launch);
  for (const CountedLaunch& launch : samples.launches) {
    const KernelResources* kernel = of_kernel(resources, launch.kernel);
    const std::int64_t threads = std::int64_t{launch.block.x} * launch.block.y * launch.block.z;
    const CountedWork work{threads,           launch.blocks,
                           launch.blocks_run, kernel == nullptr ? 1 : kernel->blocks_per_sm,
                           launch.counts,     launch.stretches};
    // The least traffic of the problem, of which each launch has its share.
    const double share = all_sectors > 0 ? sectors(launch) / all_sectors : 0;
    us += model_launch(device, ceilings, work, share * problem.bytes).us;
  }
  samples.samples_us = {std::max(us, problem.minimum_us)};
  samples.protocol = kModelProtocol;
}

}  // namespace kerlab
