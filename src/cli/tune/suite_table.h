#pragma once
// What the problems of a suite came to, in one table.

#include <optional>
#include <vector>

#include "cli/frame/suite.h"
#include "report/form/table.h"
#include "session/tune/tune.h"

namespace kerlab::cli {

struct SuiteResult {
  SuiteOutcome outcome;
  std::optional<TuneResult> result;  ///< none: it threw
};

/// A row for each problem, a column for each way of the library's that any of them was timed beside. `exact`: for a
/// spreadsheet.
Table suite_table(const std::vector<SuiteResult>& rows, bool exact);

}  // namespace kerlab::cli
