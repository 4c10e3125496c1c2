#include "cli/bench/energy_table.h"

#include "base/format.h"
#include "cli/frame/library_cells.h"

namespace kerlab::cli {

std::string energy_heading() {
  return fmt::format(
      "energy: each alone, back to back for {} s, the cache not flushed between runs; power is the whole "
      "GPU's (NVML)\n",
      kEnergySeconds);
}

Table energy_table(const std::vector<BenchRow>& rows) {
  Table table{{{"problem"},
               {"who"},
               {"us sustained", Align::right},
               {"TFLOP/s", Align::right},
               {"W", Align::right},
               {"TFLOP/J", Align::right},
               {"SM MHz", Align::right}},
              {}};
  for (const BenchRow& row : rows)
    for (const EnergyRow& energy : row.energy)
      table.rows.push_back(
          {row.problem.title(), energy.label.empty() ? variant_text(row.trial) : library_way(energy.label),
           format_us(energy.sample.run_us), fmt::format("{:.4g}", energy.flops_per_s / 1e12),
           fmt::format("{:.0f}", energy.sample.watts), fmt::format("{:.3f}", energy.flops_per_joule / 1e12),
           energy.sample.sm_clock_mhz > 0 ? fmt::format("{:.0f}", energy.sample.sm_clock_mhz) : "-"});
  return table;
}

JsonValue energy_value(const std::vector<EnergyRow>& rows) {
  JsonValue::Array values;
  for (const EnergyRow& row : rows)
    values.push_back(JsonValue::Object{{"label", row.label},
                                       {"runs", row.sample.runs},
                                       {"run_us", row.sample.run_us},
                                       {"watts", row.sample.watts},
                                       {"sm_clock_mhz", row.sample.sm_clock_mhz},
                                       {"flops_per_s", row.flops_per_s},
                                       {"flops_per_joule", row.flops_per_joule}});
  return values;
}

}  // namespace kerlab::cli
