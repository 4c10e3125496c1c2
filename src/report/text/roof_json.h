#pragma once
// Roofs and bottlenecks in the JSON of roofline, explain, inspect and tune.

#include "model/problem_bottleneck.h"
#include "report/form/json.h"

namespace kerlab::report {

/// What a problem of this roofline reaches at best below these ceilings, and what bounds it.
JsonValue roof_value(const Ceilings& ceilings, const Roofline& roof);

/// `name`, `reason`, `suggestion`.
JsonValue to_value(const Bottleneck& bottleneck);
/// The same, and of a GEMM its shape and how the largest tile fills the device.
JsonValue to_value(const ProblemBottleneck& bottleneck);

}  // namespace kerlab::report
