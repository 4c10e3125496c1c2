#include "session/find/figures.h"

#include <algorithm>

#include "plan/counters.h"
#include "session/run/modelled.h"

namespace kerlab::session {

namespace {

void add_counts(std::vector<Figure>& figures, const Evaluation& result) {
  Counts all;
  double launches = 0;
  for (const CountedLaunch& launch : result.counted) {
    if (is_fill(launch)) continue;  // fills of workspaces are none of the kernel's
    all += scaled(launch.counts, launch.blocks, launch.blocks_run);
    ++launches;
  }
  figures.push_back({"launches", launches});
  double instructions = 0;
  for (const std::int64_t pipe : all.warp_instructions) instructions += static_cast<double>(pipe);
  figures.push_back({"instructions", instructions});
  for (std::size_t i = 0; i < kPipes; ++i)
    if (all.warp_instructions[i] > 0)
      figures.push_back(
          {fmt::format("instructions_{}", name(static_cast<Pipe>(i))), static_cast<double>(all.warp_instructions[i])});
  for (const Counter& counter : counters())
    if (const std::int64_t value = all.*counter.value; value != 0)
      figures.push_back({std::string(counter.name), static_cast<double>(value)});
  // As many digits as its text keeps, so that the same is the same.
  if (result.measurement)
    figures.push_back({"modelled_us", std::stod(fmt::format("{:.6g}", result.measurement->median_us))});
}

}  // namespace

std::vector<Figure> figures_of(const Evaluation& result, const DeviceInfo& device) {
  const Trial& trial = result.candidate.trial;
  std::vector<Figure> figures;
  figures.push_back({"registers", static_cast<double>(trial.registers)});
  figures.push_back({"spill_bytes", static_cast<double>(trial.spill_bytes)});
  figures.push_back({"shared_bytes", static_cast<double>(trial.shared_bytes)});
  figures.push_back({"threads", static_cast<double>(trial.threads)});
  const int blocks = trial.blocks_per_sm > 0
                         ? static_cast<int>(trial.blocks_per_sm)
                         : occupancy(device, static_cast<int>(trial.threads), static_cast<int>(trial.registers),
                                     static_cast<int>(trial.shared_bytes))
                               .blocks;
  figures.push_back({"occupancy", static_cast<double>(blocks * trial.threads)});
  if (device.counts_exactly) add_counts(figures, result);
  return figures;
}

double figure(const std::vector<Figure>& figures, const std::string& name) {
  const auto at = std::ranges::find(figures, name, &Figure::name);
  return at == figures.end() ? 0 : at->value;
}

}  // namespace kerlab::session
