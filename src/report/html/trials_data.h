#pragma once
// All trials of a report as columns: the rows of its table, and the data that the page's script works on.

#include "report/form/json.h"
#include "report/html/figures.h"

namespace kerlab::report {

/// One column: a text for each trial, and the number behind it where it is one (not finite: there is none).
struct TrialColumn {
  std::string key;    ///< what a filter calls it: "us"
  std::string title;  ///< "us [95 %]"
  bool numeric = false;
  std::vector<std::string> text;
  std::vector<double> value;
};

/// Every trial of every part, in the parts' order. Columns that say nothing are left out.
std::vector<TrialColumn> trial_columns(const std::vector<ReportPart>& parts);

/// Row numbers: by problem, the fastest first, those without a time behind.
std::vector<std::size_t> fastest_first(const std::vector<ReportPart>& parts);

JsonValue trials_value(const std::vector<TrialColumn>& columns);

/// The first `most` rows, fastest first, as a table.
Table trials_table(const std::vector<TrialColumn>& columns, const std::vector<std::size_t>& order, std::size_t most);

}  // namespace kerlab::report
