#pragma once
// What `kerlab regress` prints: a table of all kernels, and of those that fail why.

#include <string>

#include "report/form/json.h"
#include "report/form/table.h"
#include "trial/regress_run.h"

namespace kerlab::report {

/// "46 kernels: 1 wrong, 2 regressed, 43 identical"
std::string regress_counts(const RegressReport& report);
/// "reg2d 256x256x256 fp32 nn" of a row: what a person calls it.
std::string regress_label(const RegressRow& row);
/// "100.0 -> 106.0 us, +6.02 % [+5.80, +6.24], 10 processes, would have seen 1.4 %"
std::string time_text(const TimeRatio& time);
/// The slow-down that the run would have found 99 times of 100, of a row: "1.4 %"; "-" where nothing was timed.
std::string power_text(const RegressRow& row);
/// And of the whole run, where it sees least; empty where nothing was timed.
std::string power_summary(const RegressReport& report);
/// The change of one figure: name, before, after, "+12.0 %", "1 %".
std::vector<std::string> change_cells(const FigureChange& change);
Table change_table(const std::vector<FigureChange>& changes, std::size_t most);

/// `repeat`: options that the commands it names must repeat. `all`: rows that passed as well.
/// `width` 0: no terminal, nothing is cut off.
std::string regress_text(const RegressReport& report, const std::string& repeat, bool all, int width, bool color);
/// The part about one kernel that is not as it was: figures, lines, differences, the command to see it again.
std::string regress_detail(const RegressRow& row, const std::string& repeat, int width, bool color);

/// Body of the JSON document.
JsonValue::Object regress_value(const RegressReport& report);
JsonValue to_value(const RegressRun& run);

/// Earlier runs, newest first.
std::string history_text(const std::vector<RegressRun>& runs, int width, bool color);

}  // namespace kerlab::report
