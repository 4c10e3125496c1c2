#pragma once
// What the device reaches in practice: memory bandwidth, multiply-add and tensor-core rates.

#include <vector>

#include "device/lab.h"
#include "measure/timing.h"

namespace kerlab::measure {

/// About half a second on a GPU. Rates that the device does not have are left out.
std::vector<Ceiling> measure_ceilings(Lab& lab);

}  // namespace kerlab::measure
