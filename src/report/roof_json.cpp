#include "report/roof_json.h"

namespace kerlab {

JsonValue roof_value(const Ceilings& ceilings, const Roofline& roof) {
  return JsonValue::Object{{"source", ceilings.source},
                           {"bytes_per_s", ceilings.bytes_per_s},
                           {"flops_per_s", ceilings.flops_per_s},
                           {"unit", ceilings.unit},
                           {"ridge", roof.ridge},
                           {"roof_flops_per_s", roof.roof_flops},
                           {"minimum_us", roof.minimum_us},
                           {"bound", roof.memory_bound ? "memory" : ceilings.unit}};
}

}  // namespace kerlab
