#include "cli/frame/suite.h"

#include <algorithm>

namespace kerlab::cli {

Suite open_suite(const std::string& file, const std::string& target, const std::string& dtype,
                 const GlobalOptions& global) {
  const std::string typed = !target.empty()           ? target
                            : !dtype.empty()          ? "--dtype " + dtype
                            : !global.problem.empty() ? "--" + global.problem.front().name
                                                      : "";
  if (!typed.empty()) throw UsageError(fmt::format("{} and --suite {}: the suite says which problems", typed, file));
  return read_suite(file, kernel_folders(global), suite_folders(global));
}

std::vector<SuiteOutcome> run_suite(const Suite& suite, const InterruptFlag& interrupt,
                                    const std::function<ExitCode(const SuiteProblem&, const std::string&)>& one) {
  std::vector<SuiteOutcome> outcomes;
  for (std::size_t i = 0; i < suite.problems.size() && !interrupt.raised(); ++i) {
    SuiteOutcome outcome;
    outcome.problem = suite.problems[i];
    try {
      outcome.code = one(outcome.problem, fmt::format("[{}/{}] ", i + 1, suite.problems.size()));
    } catch (const Error& error) {
      outcome.code = error.code() == ExitCode::usage ? ExitCode::failed : error.code();
      outcome.error = error.what();
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

ExitCode suite_code(const std::vector<SuiteOutcome>& outcomes) {
  for (const ExitCode code : {ExitCode::interrupted, ExitCode::wrong, ExitCode::failed, ExitCode::inconclusive}) {
    if (std::any_of(outcomes.begin(), outcomes.end(), [&](const SuiteOutcome& o) { return o.code == code; }))
      return code;
  }
  return ExitCode::passed;
}

JsonValue::Object suite_value(const SuiteOutcome& outcome) {
  return {{"name", outcome.problem.name},
          {"problem", outcome.problem.title},
          {"exit_code", static_cast<int>(outcome.code)},
          {"error", outcome.error}};
}

void add_suite(JsonValue::Object& body, const std::string& suite, const std::vector<SuiteOutcome>& outcomes) {
  if (suite.empty()) return;
  JsonValue::Array problems;
  for (const SuiteOutcome& outcome : outcomes) problems.push_back(suite_value(outcome));
  body.emplace_back("suite", suite);
  body.emplace_back("problems", std::move(problems));
}

std::string suite_verdict(const Suite& suite, const std::vector<SuiteOutcome>& outcomes) {
  const auto passed = std::count_if(outcomes.begin(), outcomes.end(),
                                    [](const SuiteOutcome& outcome) { return outcome.code == ExitCode::passed; });
  std::string text = fmt::format("{} of {} problems passed", passed, suite.problems.size());
  if (outcomes.size() < suite.problems.size())
    text += fmt::format(", {} not begun", suite.problems.size() - outcomes.size());
  return text + "\n";
}

}  // namespace kerlab::cli
