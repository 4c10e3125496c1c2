#include "session/bench/energy_rows.h"

namespace kerlab::session {

std::vector<EnergyRow> energy_rows(const std::vector<EnergySample>& samples, const LibraryOutcome& library,
                                   const ProblemPlan& plan) {
  std::vector<EnergyRow> rows;
  for (std::size_t i = 0; i < samples.size() && i <= library.rows.size(); ++i) {
    EnergyRow row;
    if (i > 0) row.label = library.rows[i - 1];
    row.sample = samples[i];
    if (row.sample.run_us > 0) row.flops_per_s = plan.flops / row.sample.run_us * 1e6;
    if (row.sample.watts > 0) row.flops_per_joule = row.flops_per_s / row.sample.watts;
    rows.push_back(std::move(row));
  }
  return rows;
}

void require_energy_counter(const DeviceInfo& device) {
  if (device.is_hardware) return;
  throw Error(fmt::format("--energy: a GPU's driver counts joules; {} ({}) draws none. Use --device cuda:0, or leave "
                          "--energy out",
                          device.id, device.name),
              ExitCode::inconclusive);
}

}  // namespace kerlab::session
