#pragma once
// What `kerlab tune` shows: the progress line, the summary, the plan of a dry run; as text and as JSON.

#include <string>

#include "cli/command.h"
#include "report/json.h"
#include "report/table.h"
#include "session/tune.h"

namespace kerlab {

std::string tune_line(const TuneState& state);

std::string tune_screen(const TuneResult& result, bool color, const ToRepeat& again = {});
/// The ranking, or with --ladder the ladder: to be written as CSV (`exact`) or Markdown.
Table tune_result_table(const TuneResult& result, bool exact);
/// The keys of the document.
JsonValue::Object tune_value(const TuneResult& result, const ToRepeat& again = {});
std::string tune_json(const TuneResult& result, const ToRepeat& again = {});
std::string tune_plan_text(const TunePlan& plan, bool color);
std::string tune_plan_json(const TunePlan& plan);

}  // namespace kerlab
