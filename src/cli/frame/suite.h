#pragma once
// `--suite FILE`: a command for every problem of a suite; what fails does not stop the others.

#include <functional>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "cli/frame/command.h"
#include "report/form/json.h"
#include "session/find/suite.h"

namespace kerlab::cli {

/// How a command ended on one problem.
struct SuiteOutcome {
  SuiteProblem problem;
  ExitCode code = ExitCode::passed;
  std::string error;  ///< what was thrown; empty: nothing was
};

/// Reads the suite. Throws UsageError when a family (`target`), a dtype or a dimension was typed as well: the suite
/// says them.
Suite open_suite(const std::string& file, const std::string& target, const std::string& dtype,
                 const GlobalOptions& global);

/// Runs `one` on every problem, with "[3/21] " to put before its progress; ends early when interrupted.
std::vector<SuiteOutcome> run_suite(const Suite& suite, const InterruptFlag& interrupt,
                                    const std::function<ExitCode(const SuiteProblem&, const std::string&)>& one);

/// Of all: interrupted, wrong, failed, inconclusive, passed: the first of these that there is.
ExitCode suite_code(const std::vector<SuiteOutcome>& outcomes);
/// "name", "problem", "exit_code", "error".
JsonValue::Object suite_value(const SuiteOutcome& outcome);
/// `suite` (the file) and `problems` of the command's JSON document; nothing without a suite.
void add_suite(JsonValue::Object& body, const std::string& suite, const std::vector<SuiteOutcome>& outcomes);
/// "19 of 21 problems passed; again: only what is missing is done": the last line.
std::string suite_verdict(const Suite& suite, const std::vector<SuiteOutcome>& outcomes);

}  // namespace kerlab::cli
