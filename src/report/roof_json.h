#pragma once
// A roof in the JSON of roofline and explain.

#include "model/roofline.h"
#include "report/json.h"

namespace kerlab {

/// What a problem of this roofline reaches at best below these ceilings, and what bounds it.
JsonValue roof_value(const Ceilings& ceilings, const Roofline& roof);

}  // namespace kerlab
