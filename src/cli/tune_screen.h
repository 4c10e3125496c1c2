#pragma once
// What `kerlab tune` shows: the progress line, the summary, the plan of a dry run. As JSON: tune_document.h.

#include <string>

#include "cli/command.h"
#include "report/table.h"
#include "session/tune.h"

namespace kerlab {

/// "[####....] screening 12/64 (1 failed)  best 12.3 us BM=128 ...  8 s left".
std::string tune_line(const TuneState& state);

/// The headline, the ranking and what is to be said about it; `again`: what a command must repeat to see it.
std::string tune_screen(const TuneResult& result, bool color, const ToRepeat& again = {});
/// The ranking, or with --ladder the ladder: to be written as CSV (`exact`) or Markdown.
Table tune_result_table(const TuneResult& result, bool exact);
/// What a dry run shows.
std::string tune_plan_text(const TunePlan& plan, bool color);

}  // namespace kerlab
