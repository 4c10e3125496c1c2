#include "session/run/modelled.h"

#include <algorithm>
#include <array>

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

/// Of all blocks' counts, as those of the blocks run say.
double of_all(std::int64_t count, const CountedLaunch& launch) {
  return static_cast<double>(count) * static_cast<double>(launch.blocks) / static_cast<double>(launch.blocks_run);
}

/// What all blocks were predicted to do over what those that were run say of all, of launches that ran some only.
double work_of_average(const std::vector<CountedLaunch>& launches, const PredictedCounts& predicted) {
  const std::array<std::pair<std::string_view, std::int64_t Counts::*>, 2> counters = {
      {{"tensor_flops", &Counts::tensor_flops}, {"flops", &Counts::flops}}};
  for (const auto& [name, counter] : counters) {
    const auto said = std::ranges::find(predicted, name, &PredictedCounts::value_type::first);
    if (said == predicted.end() || said->second <= 0) continue;
    double left = static_cast<double>(said->second), sampled = 0;
    for (const CountedLaunch& launch : launches) {
      if (launch.blocks_run <= 0) continue;
      if (launch.blocks_run < launch.blocks) {
        sampled += of_all(launch.counts.*counter, launch);
      } else {
        left -= static_cast<double>(launch.counts.*counter);
      }
    }
    return sampled > 0 && left > 0 ? left / sampled : 1;
  }
  return 1;
}

}  // namespace

bool is_fill(const CountedLaunch& launch) {
  return launch.kernel.starts_with("lab_");
}

std::vector<CountedWork> counted_work(const std::vector<CountedLaunch>& launches,
                                      const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                                      const PredictedCounts& predicted, const DeviceInfo& device) {
  const double from_dram = bytes_from_dram(problem, device.l2_bytes);
  const double of_average = work_of_average(launches, predicted);
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
    work.cluster = launch.cluster.x * launch.cluster.y * launch.cluster.z;
    work.pipeline = launch.pipeline;
    if (launch.blocks_run < launch.blocks) work.weight = of_average;
    if (all_sectors > 0) work.dram_bytes = sectors(launch) / all_sectors * from_dram;
  }
  return works;
}

Ceilings model_ceilings(const ProblemPlan& problem, const DeviceInfo& device) {
  const auto first =
      std::ranges::find_if(problem.tensors, &Tensor::numeric);  // not offsets, which sparse ones begin with
  const DType dtype = first == problem.tensors.end() ? DType::fp32 : first->dtype;
  return theoretical_ceilings(device, dtype, uses_tensor_cores(dtype));
}

std::vector<ModelledTime> model_launches(const std::vector<CountedLaunch>& launches,
                                         const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                                         const PredictedCounts& predicted, const DeviceInfo& device) {
  const Ceilings ceilings = model_ceilings(problem, device);
  std::vector<ModelledTime> times;
  for (const CountedWork& work : counted_work(launches, resources, problem, predicted, device))
    times.push_back(model_launch(device, ceilings, work));
  return times;
}

void model_time(SampleSet& samples, const std::vector<KernelResources>& resources, const ProblemPlan& problem,
                const PredictedCounts& predicted, const DeviceInfo& device) {
  double us = 0;
  for (const ModelledTime& time : model_launches(samples.launches, resources, problem, predicted, device))
    us += time.us;
  samples.samples_us = {std::max(us, problem.minimum_us)};
  samples.protocol = kModelProtocol;
}

}  // namespace kerlab::session
