#pragma once
// What `kerlab tune` shows: the progress line, the summary, the plan of a dry run; as text and as JSON.

#include <string>

#include "session/tune.h"

namespace kerlab {

std::string tune_line(const TuneState& state);
std::string tune_screen(const TuneResult& result, bool color);
std::string tune_json(const TuneResult& result);
std::string tune_plan_text(const TunePlan& plan, bool color);
std::string tune_plan_json(const TunePlan& plan);

}  // namespace kerlab
