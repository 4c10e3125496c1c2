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

}  // namespace

void model_time(SampleSet& samples, const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                const DeviceInfo& device) {
  const DType dtype = problem.tensors.empty() ? DType::fp32 : problem.tensors.front().dtype;
  const Ceilings ceilings = theoretical_ceilings(device, dtype, uses_tensor_cores(dtype));
  double us = 0;
  for (const CountedLaunch& launch : samples.launches) {
    const KernelResources* kernel = of_kernel(resources, launch.kernel);
    const std::int64_t threads = std::int64_t{launch.block.x} * launch.block.y * launch.block.z;
    // The least traffic of the problem is that of its whole run; several launches move more.
    us += model_launch(
              device, ceilings,
              {threads, launch.blocks, launch.blocks_run, kernel == nullptr ? 1 : kernel->blocks_per_sm, launch.counts},
              samples.launches.size() == 1 ? problem.bytes : 0)
              .us;
  }
  samples.samples_us = {std::max(us, problem.minimum_us)};
  samples.protocol = kModelProtocol;
}

}  // namespace kerlab
