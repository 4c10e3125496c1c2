#include "session/run/modelled.h"

#include <algorithm>

#include "plan/kernel_name.h"
#include "session/run/problem_setup.h"

namespace kerlab::session {
namespace {

/// 32-byte sectors that all blocks touch.
double sectors(const CountedLaunch& launch) {
  if (launch.blocks_run <= 0) return 0;
  return static_cast<double>(launch.counts.global_sectors) * static_cast<double>(launch.blocks) /
         static_cast<double>(launch.blocks_run);
}

}  // namespace

bool is_fill(const CountedLaunch& launch) {
  return launch.kernel.starts_with("lab_");
}

std::vector<CountedWork> counted_work(const std::vector<CountedLaunch>& launches,
                                      const std::vector<KernelResources>& resources, const ProblemPlan& problem) {
  double all_sectors = 0;
  for (const CountedLaunch& launch : launches) all_sectors += sectors(launch);
  std::vector<CountedWork> works;
  for (const CountedLaunch& launch : launches) {
    const KernelResources* kernel = find_resources(resources, launch.kernel);
    CountedWork& work = works.emplace_back();
    work.threads = std::int64_t{launch.block.x} * launch.block.y * launch.block.z;
    work.blocks = launch.blocks;
    work.blocks_run = launch.blocks_run;
    if (kernel != nullptr) work.blocks_per_sm = kernel->blocks_per_sm;
    if (kernel != nullptr) work.registers = kernel->registers;
    work.shared_bytes = launch.dynamic_shared + (kernel != nullptr ? kernel->static_shared : 0);
    work.counts = launch.counts;
    work.stretches = launch.stretches;
    work.traffic = launch.traffic;
    work.in_graph = launch.in_graph;
    if (all_sectors > 0) work.dram_bytes = sectors(launch) / all_sectors * problem.bytes;
  }
  return works;
}

Ceilings model_ceilings(const ProblemPlan& problem, const DeviceInfo& device) {
  const DType dtype = problem.tensors.empty() ? DType::fp32 : problem.tensors.front().dtype;
  return theoretical_ceilings(device, dtype, uses_tensor_cores(dtype));
}

std::vector<ModelledTime> model_launches(const std::vector<CountedLaunch>& launches,
                                         const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                                         const DeviceInfo& device) {
  const Ceilings ceilings = model_ceilings(problem, device);
  std::vector<ModelledTime> times;
  for (const CountedWork& work : counted_work(launches, resources, problem))
    times.push_back(model_launch(device, ceilings, work));
  return times;
}

void model_time(SampleSet& samples, const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                const DeviceInfo& device) {
  double us = 0;
  for (const ModelledTime& time : model_launches(samples.launches, resources, problem, device)) us += time.us;
  samples.samples_us = {std::max(us, problem.minimum_us)};
  samples.protocol = kModelProtocol;
}

}  // namespace kerlab::session
