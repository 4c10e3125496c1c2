#pragma once
// What `kerlab inspect` prints about one kernel.

#include <string>
#include <vector>

#include "report/form/json.h"
#include "session/analyse/inspection.h"

namespace kerlab::report {

/// "12 %, limited by the grid: 1 block per SM (2 would fit)"
std::string occupancy_text(const LaunchInspection& launch);

/// `hot_spots`: so many source lines of each launch.
std::string inspect_text(const Inspection& kernel, int hot_spots, bool color, int width);
/// The body of the JSON document.
JsonValue::Object inspect_value(const Inspection& kernel);

}  // namespace kerlab::report
