#include "model/operations.h"
#include "report/text/findings_text.h"
#include "report/text/inspect_text.h"
#include "report/text/roof_json.h"

namespace kerlab::report {

namespace {

JsonValue pipes_value(const Counts& counts) {
  JsonValue::Object value;
  for (std::size_t i = 0; i < kPipes; ++i) {
    if (counts.warp_instructions[i] == 0) continue;
    value.emplace_back(std::string(name(static_cast<Pipe>(i))),
                       JsonValue::Object{{"warp_instructions", counts.warp_instructions[i]},
                                         {"lane_instructions", counts.lane_instructions[i]}});
  }
  return value;
}

JsonValue counts_value(const Counts& counts) {
  JsonValue::Object value{{"pipes", pipes_value(counts)}};
  for (const CountedNumber& number : counted_numbers(counts))
    value.emplace_back(std::string(number.name), number.value);
  return value;
}

JsonValue::Object instruction_value(const LineCounts& counts) {
  return {{"place", code_line_value(counts.line)},
          {"opcode", counts.text},
          {"pipe", name(counts.pipe)},
          {"warp_instructions", counts.warp_instructions},
          {"lane_instructions", counts.lane_instructions},
          {"bytes", counts.bytes},
          {"global_requests", counts.global_requests},
          {"sectors", counts.sectors},
          {"least_sectors", counts.least_sectors},
          {"shared_requests", counts.shared_requests},
          {"wavefronts", counts.wavefronts},
          {"least_wavefronts", counts.least_wavefronts},
          {"waits", counts.waits},
          {"divergences", counts.divergences}};
}

JsonValue line_value(const SourceLine& line) {
  JsonValue::Object value = instruction_value(line.sum);
  value.emplace_back("source", line.source);
  value.emplace_back("share", line.share);
  return value;
}

JsonValue time_value(const ModelledTime& time) {
  JsonValue::Array units;
  for (const UnitDemand& unit : time.units)
    units.push_back(JsonValue::Object{{"name", unit.name}, {"cycles_per_block", unit.cycles}, {"busy", unit.busy}});
  return JsonValue::Object{{"us", time.us}, {"block_cycles", time.alone_cycles}, {"units", std::move(units)}};
}

JsonValue launch_value(const LaunchInspection& launch) {
  JsonValue::Array instructions, lines, remarks;
  for (const LineCounts& counts : launch.instructions) instructions.emplace_back(instruction_value(counts));
  for (const SourceLine& line : launch.lines) lines.push_back(line_value(line));
  for (const Remark& remark : launch.remarks)
    remarks.push_back(
        JsonValue::Object{{"kind", remark.kind},
                          {"text", remark.text},
                          {"weight", remark.weight},
                          {"place", remark.line.ptx_line > 0 ? code_line_value(remark.line) : JsonValue()}});
  return JsonValue::Object{
      {"kernel", launch.kernel},
      {"times", launch.times},
      {"grid", launch.grid},
      {"block", launch.block},
      {"cluster", launch.cluster},
      {"programmatic", launch.programmatic},
      {"carveout", launch.carveout},
      {"registers", launch.registers},
      {"spill_bytes", launch.spill_bytes},
      {"shared_bytes", launch.shared_bytes},
      {"occupancy", JsonValue::Object{{"blocks_per_sm", launch.occupancy.blocks},
                                      {"fraction", launch.occupancy.fraction},
                                      {"limiter", launch.occupancy.limiter}}},
      {"resident", JsonValue::Object{{"blocks_per_sm", launch.resident.blocks},
                                     {"fraction", launch.resident.fraction},
                                     {"limiter", launch.resident.limiter}}},
      {"waves",
       JsonValue::Object{{"waves", launch.waves.waves}, {"last", launch.waves.last}, {"idle", launch.waves.idle}}},
      {"blocks", launch.work.blocks},
      {"blocks_counted", launch.work.blocks_run},
      {"counts", counts_value(launch.counts)},
      {"time", time_value(launch.time)},
      {"bottleneck", to_value(launch.bottleneck)},
      {"dram_bytes", launch.dram_bytes},
      {"instructions", std::move(instructions)},
      {"lines", std::move(lines)},
      {"remarks", std::move(remarks)}};
}

}  // namespace

JsonValue::Object inspect_value(const Inspection& kernel) {
  JsonValue::Array launches, recorded;
  for (const LaunchInspection& launch : kernel.launches) launches.push_back(launch_value(launch));
  for (const StoredTime& time : kernel.stored)
    recorded.push_back(JsonValue::Object{
        {"trial", time.trial}, {"device_class", time.device_class}, {"measurement", to_value(time.measurement)}});
  return {{"trial", to_value(kernel.trial)},
          {"title", kernel.title},
          {"how", kernel.how},
          {"device", kernel.device},
          {"note", kernel.note},
          {"completion", kernel.completion},
          {"flops", kernel.flops},
          {"bytes", kernel.bytes},
          {"roof_us", kernel.roof_us},
          {"cost_from_data", kernel.cost_from_data},
          {"modelled_us", kernel.modelled_us},
          {"start_us", kernel.start_us},
          {"recorded", std::move(recorded)},
          {"launches", std::move(launches)}};
}

}  // namespace kerlab::report
