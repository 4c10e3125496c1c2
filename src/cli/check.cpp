#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/sanitize.h"
#include "cli/suite.h"
#include "db/database.h"
#include "report/json.h"
#include "report/table.h"
#include "session/check.h"

namespace kerlab {

namespace {

bool is_failure(const CheckRow& row) {
  return row.trial.status != TrialStatus::passed;
}

Table summary(const std::vector<CheckRow>& rows) {
  struct Line {
    std::size_t problems = 0, failed = 0;
    double worst = 0;
    std::string scope;  // of the problem that was asked for
  };
  std::map<std::pair<std::string, std::string>, Line> lines;
  for (const CheckRow& row : rows) {
    Line& line = lines[{row.trial.variant, row.trial.configuration}];
    ++line.problems;
    line.failed += is_failure(row) ? 1 : 0;
    line.worst = std::max(line.worst, row.trial.error_ratio);
    if (!row.adversarial) line.scope = row.scope;
  }
  const bool emulated = std::any_of(rows.begin(), rows.end(), [](const CheckRow& row) { return !row.scope.empty(); });
  Table table{{{"variant"},
               {"configuration"},
               {"problems", Align::right},
               {"failed", Align::right},
               {"err/bound", Align::right}},
              {}};
  if (emulated) table.columns.push_back({"executed"});
  for (const auto& [key, line] : lines) {
    table.rows.push_back({key.first, key.second, fmt::format("{}", line.problems), fmt::format("{}", line.failed),
                          fmt::format("{:.2f}", line.worst)});
    if (emulated) table.rows.back().push_back(line.scope);
  }
  return table;
}

struct CheckCommand {
  CheckOptions options;
  std::string suite;
  bool sanitize = false, second_opinion = false;
};

std::size_t failures(const std::vector<CheckRow>& rows) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is_failure));
}

void print_text(const std::vector<CheckRow>& rows, bool color) {
  fmt::print("{}", text_table(summary(rows), color));
  for (const CheckRow& row : rows) {
    if (!is_failure(row)) continue;
    fmt::print("{} {}: {}\n", styled(std::string(name(row.trial.status)), Style::bad, color), row.problem.title(),
               row.trial.message);
  }
  fmt::print("{} of {} checks passed\n", rows.size() - failures(rows), rows.size());
}

JsonValue::Array to_values(const std::vector<CheckRow>& rows) {
  JsonValue::Array values;
  for (const CheckRow& row : rows) {
    values.push_back(JsonValue::Object{
        {"problem", row.problem.key()}, {"adversarial", row.adversarial}, {"trial", to_value(row.trial)}});
  }
  return values;
}

struct CheckRun {
  std::vector<CheckRow> rows;
  std::string device;
  ExitCode code = ExitCode::passed;
};

/// A whole session with its progress line.
CheckRun run_session(CheckOptions options, const GlobalOptions& global, Database& database,
                     const InterruptFlag& interrupt, const std::string& prefix) {
  options.rig = rig_options(global, options.rig.target);
  ProgressLine progress;
  CheckSession session(std::move(options), database);
  bool more = true;
  while (more && !interrupt.raised()) {
    more = session.step();
    const CheckState state = session.state();
    progress.update(fmt::format("{}check {}/{}{}  {}", prefix, state.done, state.total,
                                state.failed > 0 ? fmt::format(" ({} failed)", state.failed) : "", state.label));
  }
  progress.clear();
  for (const std::string& note : session.notes()) fmt::print(stderr, "{}\n", note);
  CheckRun run{session.rows(), session.rig().device().name, ExitCode::interrupted};
  if (!more) run.code = failures(run.rows) > 0 ? ExitCode::wrong : ExitCode::passed;
  return run;
}

Table suite_table(const std::vector<SuiteOutcome>& outcomes, const std::vector<CheckRun>& runs) {
  Table table{{{"name"}, {"problem"}, {"checks", Align::right}, {"failed", Align::right}, {"err/bound", Align::right}},
              {}};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::vector<CheckRow>& rows = runs[i].rows;
    double worst = 0;
    for (const CheckRow& row : rows) worst = std::max(worst, row.trial.error_ratio);
    table.rows.push_back({outcomes[i].problem.name, outcomes[i].problem.title, fmt::format("{}", rows.size()),
                          outcomes[i].error.empty() ? fmt::format("{}", failures(rows)) : "error",
                          rows.empty() ? "-" : fmt::format("{:.2f}", worst)});
  }
  return table;
}

void print_suite(const Suite& suite, const std::vector<SuiteOutcome>& outcomes, const std::vector<CheckRun>& runs,
                 const GlobalOptions& global) {
  for (const SuiteOutcome& outcome : outcomes)
    if (!outcome.error.empty()) fmt::print(stderr, "{}: {}\n", outcome.problem.title, outcome.error);
  if (global.json) {
    JsonValue::Array results;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      JsonValue::Object value = suite_value(outcomes[i]);
      value.emplace_back("rows", to_values(runs[i].rows));
      value.emplace_back("failed", failures(runs[i].rows));
      results.push_back(std::move(value));
    }
    fmt::print("{}\n", to_json(json_document("check", {{"suite", suite.name}, {"results", std::move(results)}})));
  } else {
    fmt::print("\n{}\n{}{}", styled("suite " + suite.name, Style::bold, color_on(global, stdout)),
               text_table(suite_table(outcomes, runs), color_on(global, stdout), 2), suite_verdict(suite, outcomes));
  }
}

ExitCode run_check_suite(const CheckCommand& command, const GlobalOptions& global) {
  const Suite suite = open_suite(command.suite, command.options.rig.target, command.options.dtype, global);
  Database database = Database::open(database_path(global));
  const bool color = color_on(global, stdout);
  const InterruptFlag interrupt;
  std::vector<CheckRun> runs;
  const auto outcomes = run_suite(suite, interrupt, [&](const SuiteProblem& problem, const std::string& prefix) {
    runs.emplace_back();
    CheckOptions options = command.options;
    options.rig.target = problem.family;
    options.arguments = problem.arguments;
    options.dtype = problem.dtype;
    options.without_winner = problem.variants;
    runs.back() = run_session(std::move(options), global, database, interrupt, prefix);
    if (!global.json) {
      fmt::print("{}{}: {}\n", prefix, problem.name, problem.title);
      print_text(runs.back().rows, color);
    }
    std::fflush(stdout);
    return runs.back().code;
  });
  print_suite(suite, outcomes, runs, global);
  return interrupt.raised() ? ExitCode::interrupted : suite_code(outcomes);
}

ExitCode run(const CheckCommand& command, const GlobalOptions& global) {
  if (command.second_opinion && !command.sanitize) throw UsageError("--second-opinion goes with --sanitize");
  if (command.options.rig.target.empty() && command.suite.empty())
    throw UsageError("check: name a family (kerlab list), or --suite FILE");
  if (command.sanitize) return run_sanitize({command.options, command.suite, command.second_opinion}, global);
  if (!command.suite.empty()) return run_check_suite(command, global);
  CheckOptions options = command.options;
  options.arguments = global.problem;
  Database database = Database::open(database_path(global));
  const InterruptFlag interrupt;
  const CheckRun run = run_session(std::move(options), global, database, interrupt, "");
  if (global.json) {
    fmt::print("{}\n",
               to_json(json_document(
                   "check", {{"device", run.device}, {"rows", to_values(run.rows)}, {"failed", failures(run.rows)}})));
  } else {
    print_text(run.rows, color_on(global, stdout));
  }
  return run.code;
}

}  // namespace

Command add_check(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<CheckCommand>();
  CheckOptions* options = &command->options;
  CLI::App* parser = root.add_subcommand("check", "check results thoroughly, on shapes that break kernels as well");
  parser->add_option("family", options->rig.target, "a family's name or folder");
  parser->add_option("--suite", command->suite, "every problem of this file, or of a shipped suite such as gemm-sm80")
      ->type_name("FILE");
  parser->add_option("--dtype", options->dtype, "default: the family's first that the device supports");
  parser->add_option("--variant", options->variants, "default: the winner, or without one every variant")
      ->delimiter(',');
  parser->add_option("--config", options->configuration, "\"BM=128,BN=64\"; others take their defaults");
  parser->add_flag("--every", options->every_configuration, "every valid configuration");
  parser->add_flag("--full", options->full, "on an emulated device: execute every block, whatever it takes");
  parser->add_flag("--sanitize", command->sanitize,
                   "look at every access instead: out of bounds, uninitialised, races, ... (emulated; needs no GPU)");
  parser->add_flag("--second-opinion", command->second_opinion,
                   "with --sanitize: compute-sanitizer on the GPU as well");
  parser->footer(
      "examples: kerlab check gemm --variant reg2d --M 512\n"
      "          kerlab check ./my_op --variant all --every --sanitize");
  parser->add_flag("--only", options->only_asked, "only the problem asked for, no other shapes");
  return {parser, true, [command, &global] { return run(*command, global); }};
}

}  // namespace kerlab
