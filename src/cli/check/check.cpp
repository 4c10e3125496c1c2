#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>

#include "cli/check/sanitize.h"
#include "cli/check/save_inputs.h"
#include "cli/frame/check_screen.h"
#include "cli/frame/interruptible.h"
#include "cli/frame/option_checks.h"
#include "cli/frame/subject_words.h"
#include "cli/frame/suite.h"
#include "db/database.h"
#include "report/form/json.h"
#include "report/form/table.h"
#include "session/check/check.h"

namespace kerlab::cli {

namespace {

struct CheckCommand {
  CheckOptions options;
  std::string suite, junit;
  std::vector<std::string> values;  ///< NAME=VALUE behind the family
  bool sanitize = false, second_opinion = false;
  std::optional<std::string> save_inputs;  ///< a folder
};

struct CheckRun {
  std::vector<CheckRow> rows;
  std::vector<Trial> history;  ///< stored trials of the family
  std::string device, completion;
  CheckEnd end;
  ExitCode code = ExitCode::passed;
};

/// A whole session with its progress line.
CheckRun run_session(CheckOptions options, const GlobalOptions& global, Database& database,
                     const Interruptible& interrupt, const std::string& prefix) {
  const auto kept = options.rig.kept;
  options.rig = rig_options(global, options.rig.target);
  options.rig.named = options.variants;
  options.rig.kept = kept;
  ProgressLine progress;
  CheckSession session(std::move(options), database);
  const bool interrupted = interrupt.run([&] {
    const bool more = session.step();
    const CheckState state = session.state();
    if (state.compiling > 0) {
      progress.update(fmt::format("{}compiling, {} left", prefix, state.compiling));
      return more;
    }
    progress.update(fmt::format("{}check {}/{}{}  {}", prefix, state.done, state.total,
                                state.failed > 0 ? fmt::format(" ({} failed)", state.failed) : "", state.label));
    return more;
  });
  progress.clear();
  for (const std::string& note : session.notes()) fmt::print(stderr, "{}\n", note);
  CheckRun run{session.rows(), {}, session.rig().device().name, session.completion(), {}, ExitCode::interrupted};
  const CheckState state = session.state();
  if (interrupted || state.stopped) run.end = {state.total - state.done, interrupted};
  if (global.json) run.history = database.trials_of(session.rig().folder().family.name);
  if (!interrupted) run.code = failures(run.rows) > 0 ? ExitCode::wrong : ExitCode::passed;
  return run;
}

Table suite_table(const std::vector<SuiteOutcome>& outcomes, const std::vector<CheckRun>& runs) {
  Table table{{{"name"},
               {"problem", Align::left, true},
               {"checks", Align::right},
               {"failed", Align::right},
               {"err/bound", Align::right}},
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
      value.emplace_back("rows", check_values(runs[i].rows, repeated_options(global), runs[i].history));
      value.emplace_back("left", runs[i].end.left);
      value.emplace_back("failed", failures(runs[i].rows));
      results.push_back(std::move(value));
    }
    fmt::print("{}\n", to_json(json_document("check", {{"suite", suite.name}, {"results", std::move(results)}})));
  } else {
    fmt::print("\n{}\n{}{}", styled("suite " + suite.name, Style::bold, color_on(global, stdout)),
               text_table(suite_table(outcomes, runs), color_on(global, stdout), 2, table_width(0)),
               suite_verdict(suite, outcomes));
  }
}

/// One case of a problem that could not be checked at all.
JUnitCase error_case(const SuiteOutcome& outcome) {
  return {"kerlab.check." + outcome.problem.family, outcome.problem.title, 0, outcome.error, "error", ""};
}

void write_junit(const std::string& file, const std::vector<CheckRun>& runs, const std::vector<JUnitCase>& more,
                 const GlobalOptions& global) {
  if (file.empty()) return;
  std::vector<JUnitCase> cases = more;
  for (const CheckRun& run : runs)
    for (JUnitCase& test : check_cases(run.rows, repeated_options(global))) cases.push_back(std::move(test));
  write_output(file, junit_text("kerlab check", std::move(cases)));
}

ExitCode run_check_suite(const CheckCommand& command, const GlobalOptions& global) {
  const Suite suite = open_suite(command.suite, command.options.rig.target, command.options.dtype, global);
  Database database = Database::open(database_path(global));
  const bool color = color_on(global, stdout);
  const Interruptible interrupt;
  std::vector<CheckRun> runs;
  const auto kept = std::make_shared<KeptProcesses>();
  const auto outcomes = run_suite(suite, interrupt.flag(), [&](const SuiteProblem& problem, const std::string& prefix) {
    runs.emplace_back();
    CheckOptions options = command.options;
    options.rig.target = problem.family;
    options.rig.kept = kept;
    options.arguments = problem.arguments;
    options.dtype = problem.dtype;
    options.without_winner = problem.variants;
    runs.back() = run_session(std::move(options), global, database, interrupt, prefix);
    if (!global.json) {
      fmt::print("{}{}: {}\n", prefix, problem.name, problem.title);
      fmt::print("{}", check_screen(runs.back().rows, runs.back().end, repeated_options(global), color));
    }
    std::fflush(stdout);
    return runs.back().code;
  });
  print_suite(suite, outcomes, runs, global);
  std::vector<JUnitCase> errors;
  for (const SuiteOutcome& outcome : outcomes)
    if (!outcome.error.empty()) errors.push_back(error_case(outcome));
  write_junit(command.junit, runs, errors, global);
  return interrupt.raised() ? ExitCode::interrupted : suite_code(outcomes);
}

void print_run(const CheckRun& run, const GlobalOptions& global) {
  const std::string again = repeated_options(global);
  if (global.json)
    fmt::print("{}\n", to_json(json_document("check", {{"device", run.device},
                                                       {"completion", run.completion},
                                                       {"rows", check_values(run.rows, again, run.history)},
                                                       {"left", run.end.left},
                                                       {"failed", failures(run.rows)}})));
  else
    fmt::print("{}", check_screen(run.rows, run.end, again, color_on(global, stdout)));
}

/// Every stored winner of the device's class on its problem.
ExitCode run_check_winners(const CheckCommand& command, const GlobalOptions& global) {
  if (!global.problem.empty() || !command.options.dtype.empty() || !command.options.variants.empty() ||
      !command.options.configuration.empty() || command.options.row_padding.bytes != 0 ||
      command.options.every_configuration || command.options.every_value)
    throw UsageError(
        "check: of which family? (kerlab list; without one every stored winner is checked on its problem)");
  Database database = Database::open(database_path(global));
  std::set<std::string> families;
  for (const Decision& decision : database.winners()) families.insert(decision.family);
  const Interruptible interrupt;
  const auto kept = std::make_shared<KeptProcesses>();
  CheckRun all;
  for (const std::string& family : families) {
    CheckOptions options = command.options;
    options.rig.target = family;
    options.rig.kept = kept;
    options.stored_winners = true;
    try {
      CheckRun run = run_session(std::move(options), global, database, interrupt, family + ": ");
      all.device = run.device;
      all.rows.insert(all.rows.end(), std::make_move_iterator(run.rows.begin()),
                      std::make_move_iterator(run.rows.end()));
      all.end.left += run.end.left;
      all.end.interrupted = all.end.interrupted || run.end.interrupted;
      all.history.insert(all.history.end(), run.history.begin(), run.history.end());
      if (run.code != ExitCode::passed && all.code != ExitCode::interrupted) all.code = run.code;
    } catch (const UsageError& error) {  // a folder that has no name here
      fmt::print(stderr, "the winners of {} are left out: {}\n", family, error.what());
    }
    if (interrupt.raised()) break;
  }
  if (all.rows.empty() && !interrupt.raised())
    throw Error(fmt::format("no winner for this device is stored in {}: kerlab tune FAMILY finds one, kerlab check "
                            "FAMILY checks without",
                            database.path().string()),
                ExitCode::inconclusive);
  print_run(all, global);
  write_junit(command.junit, {all}, {}, global);
  return interrupt.raised() ? ExitCode::interrupted : all.code;
}

ExitCode run(const CheckCommand& command, const GlobalOptions& global) {
  if (command.second_opinion && !command.sanitize) throw UsageError("--second-opinion goes with --sanitize");
  if (command.sanitize && !command.junit.empty()) throw UsageError("--junit does not go with --sanitize");
  if (command.options.row_padding.bytes != 0 && (command.sanitize || !command.suite.empty()))
    throw UsageError("--row-padding goes with one family, neither with --sanitize nor with --suite");
  const bool nothing_named = command.options.rig.target.empty() && command.suite.empty();
  if (nothing_named && command.sanitize)
    throw UsageError("check --sanitize: name a family (kerlab list), or --suite FILE");
  if (command.save_inputs && (nothing_named || command.sanitize || !command.suite.empty() || !command.junit.empty()))
    throw UsageError("--save-inputs goes with one family (kerlab list), without --sanitize, --suite and --junit");
  if (nothing_named) return run_check_winners(command, global);
  if (command.sanitize) return run_sanitize({command.options, command.suite, command.second_opinion}, global);
  if (!command.suite.empty()) return run_check_suite(command, global);
  CheckOptions options = command.options;
  options.arguments = global.problem;
  if (command.save_inputs) return run_save_inputs(options, *command.save_inputs, global);
  Database database = Database::open(database_path(global));
  const Interruptible interrupt;
  const CheckRun run = run_session(std::move(options), global, database, interrupt, "");
  print_run(run, global);
  write_junit(command.junit, {run}, {}, global);
  return run.code;
}

}  // namespace

Command add_check(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<CheckCommand>();
  CheckOptions* options = &command->options;
  CLI::App* parser = root.add_subcommand("check", "check results thoroughly, on shapes that break kernels as well");
  parser->add_option("family", options->rig.target,
                     "a family's name or folder; without one every stored winner is checked on its problem");
  parser->add_option("values", command->values, "NAME=VALUE of the configuration, as --config");
  parser->option_defaults()->group("Problem");
  parser->add_option("--suite", command->suite, "every problem of this file, or of a shipped suite such as gemm-sm80")
      ->type_name("FILE");
  parser->add_option("--dtype", options->dtype, "default: the family's first that the device supports");
  parser
      ->add_option_function<std::string>(
          "--row-padding", [options](const std::string& text) { options->row_padding = parse_row_padding(text); },
          "gaps of so many bytes behind the rows of tensors that variants take with a leading dimension "
          "(pitch = [...]): of the first; three times as many behind those of the second, ...; whole+48: rows begin at "
          "multiples of 16 bytes, whatever their width")
      ->type_name("BYTES|whole+BYTES");
  parser->option_defaults()->group("Kernels");
  parser
      ->add_option("--variant", options->variants,
                   "default: the winner, stored or shipped, or without one every variant")
      ->delimiter(',')
      ->allow_extra_args(false);
  parser->add_option("--config", options->configuration, "\"BM=128,BN=64\"; others take their defaults");
  parser->add_flag("--every", options->every_configuration, "every valid configuration");
  parser->add_flag(
      "--every-value", options->every_value,
      "more configurations, as few as take every value of every parameter: before others rely on a kernel");
  parser->option_defaults()->group("How");
  parser->add_flag("--fail-fast", options->fail_fast,
                   "stop at the first failure; of several families or problems each stops at its own");
  parser->add_flag("--full", options->full, "on an emulated device: execute every block, whatever it takes");
  parser->add_flag("--sanitize", command->sanitize,
                   "look at every access instead: out of bounds, uninitialised, races, ... (emulated; needs no GPU)");
  parser->add_flag("--second-opinion", command->second_opinion,
                   "with --sanitize: compute-sanitizer on the GPU as well");
  parser->group("Verify");
  parser->footer(
      "examples: kerlab check gemm --variant reg2d --M 512\n"
      "          kerlab check ./my_op --variant all --every --sanitize");
  parser->add_option("--recipe", options->recipes, "only these inputs: normal, small_integer, ...")->delimiter(',');
  parser->option_defaults()->group("Output");
  parser
      ->add_option("--save-inputs", command->save_inputs,
                   "check nothing: write what the inputs hold as .npy into this folder, for outputs that are computed "
                   "elsewhere and recorded")
      ->type_name("DIR");
  parser->add_option("--junit", command->junit, "write a JUnit report: one test for each kernel, problem and recipe")
      ->type_name("FILE");
  parser->add_flag("--only", options->only_asked, "only the problem asked for, no other shapes");
  return {parser, true, [command, &global] {
            CheckCommand asked = *command;
            asked.options.configuration = with_values(asked.options.configuration, asked.values);
            return run(asked, global);
          }};
}

}  // namespace kerlab::cli
