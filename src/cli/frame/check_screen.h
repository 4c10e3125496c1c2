#pragma once
// What `kerlab check` shows: a table, and of what failed the worst in full, a few in one line, the others counted. As
// text, as JSON, and as test cases for JUnit.

#include <string>
#include <vector>

#include "report/form/json.h"
#include "report/markdown/junit.h"
#include "session/check/check.h"

namespace kerlab::cli {

/// What a check left out, and why.
struct CheckEnd {
  std::size_t left = 0;      ///< checks, or configurations
  bool interrupted = false;  ///< else: at the first failure, as asked for
};

bool is_failure(const CheckRow& row);
std::size_t failures(const std::vector<CheckRow>& rows);

/// `again`: what a command must repeat, " --db FILE --device emu:h200".
std::string check_screen(const std::vector<CheckRow>& rows, const CheckEnd& end, const std::string& again, bool color);
/// Everything about one that failed: numbers, where it is wrong, what it holds instead, the command.
std::string failure_report(const CheckRow& row, const std::string& again, bool color);

JsonValue::Array accuracy_values(const std::vector<AccuracyRecord>& history);

/// `history`: stored trials of the families.
JsonValue::Array check_values(const std::vector<CheckRow>& rows, const std::string& again,
                              const std::vector<Trial>& history);
/// One case for each kernel, problem, recipe and output; one for a kernel that did not come so far.
std::vector<JUnitCase> check_cases(const std::vector<CheckRow>& rows, const std::string& again);

}  // namespace kerlab::cli
