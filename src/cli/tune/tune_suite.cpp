// `kerlab tune --suite FILE`: a session for every problem, and what they found in one table.

#include "base/format.h"
#include "cli/frame/library_cells.h"
#include "cli/frame/suite.h"
#include "cli/tune/plan_screen.h"
#include "cli/tune/tune_command.h"
#include "cli/tune/tune_document.h"
#include "cli/tune/tune_screen.h"
#include "report/form/table.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

namespace {

struct SuiteResult {
  SuiteOutcome outcome;
  std::optional<TuneResult> result;  ///< none: it threw
};

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

/// What a row without a winner says instead.
std::string why_not(const SuiteResult& row) {
  if (!row.result) return row.outcome.error.substr(0, row.outcome.error.find('\n'));
  if (row.outcome.code == ExitCode::interrupted) return "interrupted";
  std::string text = "no winner";
  for (const auto& [status, count] : row.result->failed) text += fmt::format(", {} {}", count, name(status));
  return text;
}

std::vector<std::string> cells(const SuiteResult& row, std::size_t libraries, bool exact) {
  std::vector<std::string> line{row.outcome.problem.name, row.outcome.problem.title};
  if (!row.result || row.result->rows.empty()) {
    line.insert(line.end(), (exact ? 5 : 3) + libraries, exact ? "" : "-");
    line.push_back(why_not(row));
    return line;
  }
  const TuneResult& result = *row.result;
  const Measurement& best = result.rows.front().measurement;
  const Trial& trial = result.rows.front().trial;
  if (exact) {
    line.insert(line.end(),
                {fmt::format("{}", best.median_us), fmt::format("{}", best.low_us), fmt::format("{}", best.high_us)});
  } else {
    line.push_back(median_with_interval(best));
  }
  line.push_back(tera_text(result.problem.flops / best.median_us * 1e6));
  line.push_back(fmt::format("{:.1f}", 100 * result.roof.minimum_us / best.median_us));
  for (std::size_t i = 0; i < libraries; ++i)
    line.push_back(i < result.library.size() ? ratio_text(result.library[i].ratio) : exact ? "" : "-");
  line.push_back(label_text(trial));
  return line;
}

Table summary(const std::vector<SuiteResult>& rows, bool exact) {
  std::vector<std::string> libraries;
  bool modelled = false;
  for (const SuiteResult& row : rows) {
    if (!row.result) continue;
    modelled = modelled || (!row.result->rows.empty() && row.result->rows.front().measurement.clock == "modelled");
    for (std::size_t i = libraries.size(); i < row.result->library.size(); ++i)
      libraries.push_back("vs " + library_way(row.result->library[i].label));
  }
  Table table{{{"name"}, {"problem"}, {exact ? "us" : modelled ? "us modelled" : "us [95 %]"}}, {}};
  if (exact) table.columns.insert(table.columns.end(), {{"low_us"}, {"high_us"}});
  table.columns.insert(table.columns.end(), {{"TFLOP/s"}, {"% roof"}});
  for (const std::string& library : libraries) table.columns.push_back({library});
  table.columns.push_back({"winner", Align::left, true});
  for (const SuiteResult& row : rows) table.rows.push_back(cells(row, libraries.size(), exact));
  return table;
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
      plans.push_back(
          JsonValue::Object{{"name", problem.name},
                            {"problem", plan.title},
                            {"to_try", plan.to_try},
                            {"stored", plan.stored},
                            {"estimate_s", plan.estimate_s < 0 ? JsonValue() : JsonValue(plan.estimate_s)}});
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
  if (!command.csv.empty()) write_output(command.csv, csv_table(summary(rows, true)));
  if (!command.markdown.empty()) write_output(command.markdown, markdown_table(summary(rows, false)));
  if (global.json) {
    fmt::print("{}", suite_json(suite, rows, global));
  } else if (command.csv != "-" && command.markdown != "-") {
    fmt::print("\n{}\n{}", styled("suite " + suite.name, Style::bold, color_on(global, stdout)),
               text_table(summary(rows, false), color_on(global, stdout), 2, table_width(0)));
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
    TuneRun run = run_tune(std::move(options), database, interrupt, prefix);
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
