#include "report/text/roof_json.h"

#include <fmt/format.h>

namespace kerlab::report {

JsonValue roof_value(const Ceilings& ceilings, const Roofline& roof) {
  return JsonValue::Object{{"source", ceilings.source()},
                           {"bytes_per_s", ceilings.bytes_per_s},
                           {"flops_per_s", ceilings.flops_per_s},
                           {"unit", ceilings.unit},
                           {"ridge", roof.ridge},
                           {"roof_flops_per_s", roof.roof_flops},
                           {"minimum_us", roof.minimum_us},
                           {"bound", roof.memory_bound ? "memory" : ceilings.unit}};
}

JsonValue to_value(const Bottleneck& bottleneck) {
  return JsonValue::Object{
      {"name", bottleneck.name}, {"reason", bottleneck.reason}, {"suggestion", bottleneck.suggestion}};
}

JsonValue to_value(const ProblemBottleneck& bottleneck) {
  JsonValue::Object value{{"name", bottleneck.name},
                          {"reason", bottleneck.reason},
                          {"suggestion", bottleneck.suggestion},
                          {"shape", bottleneck.shape}};
  if (!bottleneck.waves) return value;
  const TileWaves& waves = *bottleneck.waves;
  value.insert(value.end(), {{"tile", fmt::format("{}x{}", waves.tile_m, waves.tile_n)},
                             {"tiles", waves.tiles},
                             {"waves", waves.waves},
                             {"lost", waves.lost},
                             {"splits", bottleneck.splits}});
  return value;
}

}  // namespace kerlab::report
