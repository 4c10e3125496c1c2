#pragma once
// What `kerlab tune` shows: the progress line, the summary. A dry run: plan_screen.h; as JSON: tune_document.h.

#include <string>

#include "cli/frame/command.h"
#include "report/form/table.h"
#include "session/tune/tune.h"

namespace kerlab::cli {

/// "[####....] screening 12/64 (1 failed)  best 12.3 us BM=128 ...  8 s left".
std::string tune_line(const TuneState& state);

/// The headline, the ranking, what is to be said about it, the winner; `again`: what a command must repeat to see it.
/// `verbose`: also who was left out and why in full, how it was decided, what it cost.
std::string tune_screen(const TuneResult& result, bool color, const ToRepeat& again = {}, bool verbose = false);
/// The ranking, or with --ladder the ladder: to be written as CSV (`exact`) or Markdown.
Table tune_result_table(const TuneResult& result, bool exact);

}  // namespace kerlab::cli
