#pragma once
// What `kerlab tune --dry-run` shows: how all that is listed becomes what is tried, step by step.

#include "session/tune/tune.h"

namespace kerlab::cli {

/// `verbose`: also what each constraint leaves, and why variants are left out in full.
std::string tune_plan_text(const TunePlan& plan, bool color, int width, bool verbose);

}  // namespace kerlab::cli
