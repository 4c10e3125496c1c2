#include "session/modelled.h"

#include <algorithm>

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

CountedWork counted_work(const CountedLaunch& launch, const std::vector<KernelResources>& resources) {
  const KernelResources* kernel = of_kernel(resources, launch.kernel);
  const std::int64_t threads = std::int64_t{launch.block.x} * launch.block.y * launch.block.z;
  return {threads,       launch.blocks,   launch.blocks_run, kernel == nullptr ? 1 : kernel->blocks_per_sm,
          launch.counts, launch.stretches};
}

std::vector<double> dram_shares(const std::vector<CountedLaunch>& launches, const ProblemPlan& problem) {
  double all = 0;
  for (const CountedLaunch& launch : launches) all += sectors(launch);
  std::vector<double> shares;
  for (const CountedLaunch& launch : launches) shares.push_back(all > 0 ? sectors(launch) / all * problem.bytes : 0);
  return shares;
}

std::vector<ModelledTime> model_launches(const std::vector<CountedLaunch>& launches,
                                         const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                                         const DeviceInfo& device) {
  const DType dtype = problem.tensors.empty() ? DType::fp32 : problem.tensors.front().dtype;
  const Ceilings ceilings = theoretical_ceilings(device, dtype, uses_tensor_cores(dtype));
  const std::vector<double> shares = dram_shares(launches, problem);
  std::vector<ModelledTime> times;
  for (std::size_t i = 0; i < launches.size(); ++i)
    times.push_back(model_launch(device, ceilings, counted_work(launches[i], resources), shares[i]));
  return times;
}

void model_time(SampleSet& samples, const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                const DeviceInfo& device) {
  double us = 0;
  for (const ModelledTime& time : model_launches(samples.launches, resources, problem, device)) us += time.us;
  samples.samples_us = {std::max(us, problem.minimum_us)};
  samples.protocol = kModelProtocol;
}

}  // namespace kerlab
