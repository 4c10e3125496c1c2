// `kerlab tune --suite FILE`: a session for every problem, and what they found in one table.

#include "cli/frame/suite.h"
#include "cli/tune/plan_screen.h"
#include "cli/tune/suite_table.h"
#include "cli/tune/tune_command.h"
#include "cli/tune/tune_document.h"
#include "cli/tune/tune_screen.h"
#include "report/form/table.h"

namespace kerlab::cli {

namespace {

/// The suite's options where nothing was typed.
TuneOptions options_of(const SuiteProblem& problem, const TuneCommand& command, const GlobalOptions& global) {
  TuneOptions options = complete(command.options, problem.family, problem.arguments, global);
  const SuiteOptions& suite = problem.options;
  options.dtype = problem.dtype;
  if (options.variants.names.empty()) options.variants.names = problem.variants;
  if (options.trials == 0) options.trials = suite.trials.value_or(0);
  if (!options.patience) options.patience = suite.patience;
  options.once = true;
  if (options.screening.time_s <= 0) options.screening.time_s = suite.time_s.value_or(0);
  if (options.search.empty()) options.search = suite.search.value_or("");
  if (suite.seed && options.seed == TuneOptions{}.seed) options.seed = *suite.seed;
  options.variants.all = options.variants.all || suite.all.value_or(false);
  if (!options.variants.accuracy.weaker()) options.variants.accuracy = suite.accuracy.value_or(Accuracy{});
  options.screening.allow_spills = options.screening.allow_spills || suite.spills.value_or(false);
  return options;
}

std::string suite_json(const Suite& suite, const std::vector<SuiteResult>& rows, const GlobalOptions& global) {
  JsonValue::Array results;
  for (const SuiteResult& row : rows) {
    JsonValue::Object value = suite_value(row.outcome);
    const ToRepeat again = repeated_for(row.outcome.problem.family, global);
    value.emplace_back("result", row.result ? JsonValue(tune_value(*row.result, again)) : JsonValue());
    results.push_back(std::move(value));
  }
  return to_json(json_document(
             "tune", {{"suite", suite.name}, {"problems", suite.problems.size()}, {"results", std::move(results)}})) +
         "\n";
}

void print_plans(const Suite& suite, const TuneCommand& command, const GlobalOptions& global, Database& database) {
  JsonValue::Array plans;
  for (const SuiteProblem& problem : suite.problems) {
    const TunePlan plan = plan_tune(options_of(problem, command, global), database);
    if (global.json) {
      plans.push_back(JsonValue::Object{{"name", problem.name},
                                        {"problem", plan.title},
                                        {"to_try", plan.to_try},
                                        {"stored", plan.stored},
                                        {"estimate_s", plan.estimate_s}});
    } else {
      fmt::print("{}: {}\n", problem.name,
                 tune_plan_text(plan, color_on(global, stdout), table_width(0), command.verbose));
    }
  }
  if (global.json)
    fmt::print("{}\n",
               to_json(json_document("tune", {{"dry_run", true}, {"suite", suite.name}, {"plans", std::move(plans)}})));
}

void print(const Suite& suite, const std::vector<SuiteResult>& rows, const TuneCommand& command,
           const GlobalOptions& global) {
  if (!command.csv.empty()) write_output(command.csv, csv_table(suite_table(rows, true)));
  if (!command.markdown.empty()) write_output(command.markdown, markdown_table(suite_table(rows, false)));
  if (global.json) {
    fmt::print("{}", suite_json(suite, rows, global));
  } else if (command.csv != "-" && command.markdown != "-") {
    fmt::print("\n{}\n{}", styled("suite " + suite.name, Style::bold, color_on(global, stdout)),
               text_table(suite_table(rows, false), color_on(global, stdout), 2, table_width(0)));
  }
}

}  // namespace

ExitCode run_tune_suite(const TuneCommand& command, const GlobalOptions& global) {
  const Suite suite = open_suite(command.suite, command.options.rig.target, command.options.dtype, global);
  Database database = Database::open(database_path(global));
  if (global.dry_run) {
    print_plans(suite, command, global, database);
    return ExitCode::passed;
  }
  const bool screens = !global.json && command.csv != "-" && command.markdown != "-";
  InterruptFlag interrupt;
  std::vector<SuiteResult> rows;
  const auto kept = std::make_shared<KeptProcesses>();
  const auto outcomes = run_suite(suite, interrupt, [&](const SuiteProblem& problem, const std::string& prefix) {
    rows.push_back({{problem, ExitCode::failed, ""}, std::nullopt});
    TuneOptions options = options_of(problem, command, global);
    options.rig.kept = kept;
    TuneRun run = run_tune(std::move(options), database, interrupt, prefix, command.kernel_tuner);
    if (screens)
      fmt::print(
          "{}{}: {}\n", prefix, problem.name,
          tune_screen(run.result, color_on(global, stdout), repeated_for(problem.family, global), command.verbose));
    std::fflush(stdout);
    rows.back().result = std::move(run.result);
    return run.code;
  });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].outcome = outcomes[i];
    if (!outcomes[i].error.empty()) fmt::print(stderr, "{}: {}\n", outcomes[i].problem.title, outcomes[i].error);
  }
  print(suite, rows, command, global);
  if (screens) fmt::print("{}", suite_verdict(suite, outcomes));
  return interrupt.raised() ? ExitCode::interrupted : suite_code(outcomes);
}

}  // namespace kerlab::cli
