#pragma once
// A launch plan as text that can be reviewed and merged: JSON, a line for each workspace, launch and argument.

#include <string>
#include <string_view>

#include "plan/launch_plan.h"

namespace kerlab::worker {

/// The fields are those of a worker's frame; bytes of scalars are hexadecimal. ASCII, without any "'".
std::string plan_text(const LaunchPlan& plan);
/// The inverse, as strict as decoding a frame. Throws Error that says what is wrong.
LaunchPlan parse_plan_text(std::string_view text);

}  // namespace kerlab::worker
