#pragma once
// The ladder of `kerlab tune --ladder`: as rows of a table, as text, as JSON.

#include "report/form/json.h"
#include "report/text/ladder_table.h"
#include "session/tune/tune.h"

namespace kerlab::cli {

/// Every rung at its default, below it at its best where that is faster; the library's rows last.
std::vector<LadderRow> ladder_rows(const TuneResult& result);
/// What `kerlab tune --ladder` prints below the ranking; empty without a ladder. `width`: of the terminal; 0: any.
std::string ladder_text(const TuneResult& result, bool color, int width);
/// A list with one object for each rung.
JsonValue ladder_value(const TuneResult& result);

}  // namespace kerlab::cli
