#include <CLI/CLI.hpp>
#include <iterator>
#include <set>

#include "base/elapsed.h"
#include "base/format.h"
#include "cli/frame/option_checks.h"
#include "cli/tune/live_caches.h"
#include "cli/tune/plan_screen.h"
#include "cli/tune/tune_command.h"
#include "cli/tune/tune_document.h"
#include "cli/tune/tune_screen.h"
#include "report/text/trials_table.h"
#include "session/analyse/problem_trials.h"

namespace kerlab::cli {

namespace {

/// Every trial of the problem that is known, of this session and of others.
Table all_trials(const TuneResult& result, const Database& database) {
  std::vector<ListedTrial> listed;
  for (ProblemTrial& one : problem_trials(database, result.problem.key, result.device.device_class()))
    listed.push_back({std::move(one.trial), std::move(one.measurement), one.winner ? "winner" : one.tied ? "tie" : ""});
  return trials_table(listed);
}

void print(const TuneResult& result, const Database& database, const TuneCommand& command,
           const GlobalOptions& global) {
  if (!command.csv.empty()) write_output(command.csv, csv_table(all_trials(result, database)));
  if (!command.markdown.empty()) write_output(command.markdown, markdown_table(tune_result_table(result, false)));
  if (global.json) {
    fmt::print("{}", tune_json(result, repeated_for(command.options.rig.target, global)));
  } else if (command.csv != "-" && command.markdown != "-") {
    fmt::print("{}", tune_screen(result, color_on(global, stdout), repeated_for(command.options.rig.target, global),
                                 command.verbose));
  }
}

/// What a session that cannot go on leaves behind.
std::string kept_text(const TuneState& state) {
  if (state.counts.done == 0) return "";
  return fmt::format("\n{} {} kept: the same command goes on from there",
                     format_count(static_cast<std::int64_t>(state.counts.done), "result"),
                     state.counts.done == 1 ? "is" : "are");
}

/// The same where no summary follows, which would say it.
std::string kept_with_best(const TuneState& state) {
  const std::string text = kept_text(state);
  if (state.counts.done == 0 || state.best_us <= 0) return text;
  return text + fmt::format("; the best so far: {} us, {}", format_us(state.best_us), state.best_label);
}

ExitCode run(const TuneCommand& typed, const GlobalOptions& global) {
  TuneCommand command = typed;
  command.options.beside = beside_commands(typed.beside);
  if (!command.suite.empty()) return run_tune_suite(command, global);
  if (command.options.rig.target.empty()) throw UsageError("tune: name a family (kerlab list), or --suite FILE");
  const TuneOptions options = complete(command.options, command.options.rig.target, global.problem, global);
  Database database = Database::open(database_path(global));
  if (global.dry_run) {
    const TunePlan plan = plan_tune(options, database);
    fmt::print("{}", global.json ? tune_plan_json(plan)
                                 : tune_plan_text(plan, color_on(global, stdout), table_width(0), command.verbose));
    return ExitCode::passed;
  }
  const InterruptFlag interrupt;
  const TuneRun run = run_tune(options, database, interrupt, "", command.kernel_tuner);
  print(run.result, database, command, global);
  return run.code;
}

/// Who wants the device alone waits for another kerlab too. Interrupted: throws Error.
void open_session(std::optional<TuneSession>& session, TuneOptions options, Database& database,
                  const InterruptFlag& interrupt, ProgressLine& progress) {
  if (options.company.exclusive) options.rig.lock_patience = std::chrono::milliseconds(300);
  const auto begin = Clock::now();
  while (!session) {
    try {
      session.emplace(options, database);
    } catch (const DeviceTaken& taken) {
      const double waited = seconds_since(begin);
      const double patience = options.company.patience_s;
      if (!options.company.exclusive || (patience > 0 && waited > patience)) throw;
      if (interrupt.raised()) throw Error("interrupted while waiting for another kerlab", ExitCode::interrupted);
      progress.update(fmt::format("waiting, {}: {}", format_seconds(waited), taken.what()));
    }
  }
}

}  // namespace

TuneOptions complete(TuneOptions options, const std::string& target, std::vector<ProblemArgument> arguments,
                     const GlobalOptions& global) {
  options.rig = rig_options(global, target);
  options.rig.named = options.variants.names;
  options.arguments = std::move(arguments);
  options.command = global.typed;
  options.version = version();
  return options;
}

ToRepeat repeated_for(const std::string& target, const GlobalOptions& global) {
  return {repeated_options(global), target.find('/') == std::string::npos ? "" : " " + quoted(target)};
}

TuneRun run_tune(const TuneOptions& options, Database& database, const InterruptFlag& interrupt,
                 const std::string& prefix, const std::filesystem::path& kernel_tuner) {
  ProgressLine progress;
  LiveCaches caches(kernel_tuner, database);
  std::optional<TuneSession> opened;
  const InterruptedWaitsEnd at_once;  // in the middle of a step as well: a winner's other problems are one
  open_session(opened, options, database, interrupt, progress);
  TuneSession& session = *opened;
  bool more = true;
  try {
    while (more && !interrupt.raised()) {
      more = session.step();
      caches.update(session);
      for (const std::string& note : session.take_notes()) progress.note(note);
      progress.update(prefix + tune_line(session.state()));
    }
  } catch (const Error& error) {
    session.interrupt();
    if (error.code() != ExitCode::interrupted || !interrupt.raised())
      throw Error(error.what() + kept_with_best(session.state()), error.code());
  }
  if (more) {
    session.interrupt();
    progress.note("interrupted" + kept_text(session.state()));
  }
  caches.update(session);
  caches.close();
  progress.clear();
  TuneRun run{session.result(), ExitCode::interrupted};
  fmt::print(stderr, "{}", beside_errors(run.result.beside));
  if (!more) run.code = run.result.rows.empty() ? ExitCode::failed : ExitCode::passed;
  return run;
}

Command add_tune(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<TuneCommand>();
  TuneOptions* options = &command->options;
  CLI::App* parser = root.add_subcommand("tune", "find the fastest verified configuration; resumes by default");
  parser->group("Measure");
  parser->footer(
      "examples: kerlab tune gemm --M 4096 --dtype bf16 --trials 64\n"
      "          kerlab tune gemm --M 512 --dtype fp32 --ladder --device emu:h200   # no GPU\n"
      "          kerlab tune --suite gemm-smoke --dry-run");
  parser->add_option("family", options->rig.target, "a family's name (kerlab list), or a folder");
  parser->option_defaults()->group("Problem");
  parser->add_option("--suite", command->suite, "every problem of this file, or of a shipped suite such as gemm-sm80")
      ->type_name("FILE");
  parser->add_option("--dtype", options->dtype, "default: the family's first that the device supports");
  parser->option_defaults()->group("Kernels");
  parser->add_option("--variant", options->variants.names, "only these; \"all\": every one")
      ->delimiter(',')
      ->allow_extra_args(false);
  parser->add_flag("--ladder", options->variants.ladder,
                   "show every rung as a table: at its defaults, and tuned by some tries");
  parser
      ->add_option_function<std::vector<std::string>>(
          "--accuracy",
          [options](const std::vector<std::string>& words) {
            for (const std::string& word : words) admit(options->variants.accuracy, word);
          },
          "let kernels of a weaker class win: normwise (errors bound by norms), may-be-nan (NaN for infinities), or "
          "both")
      ->delimiter(',')
      ->check(CLI::IsMember(std::set<std::string>(std::begin(kAccuracyOptions), std::end(kAccuracyOptions))))
      ->type_name("CLASS");
  parser->add_flag("--all", options->variants.all, "on an emulated device: the whole space, not its quick part");
  add_beside_options(*parser, command->beside);
  parser->option_defaults()->group("Search");
  parser->add_flag("--full", options->screening.full, "on an emulated device: execute every block of every candidate");
  parser
      ->add_option(
          "--strategy,--search", options->search,
          "exhaustive, random, local, surrogate, forecast; auto (default): exhaustive up to 300, else surrogate; on "
          "an emulated device exhaustive up to 24, else forecast")
      ->check(CLI::IsMember({"auto", "exhaustive", "random", "local", "surrogate", "forecast"}));
  parser->add_option("--trials", options->trials, "try at most this many (default: 512 where not all are tried)")
      ->check(takes_whole(1));
  parser
      ->add_option("--patience", options->patience,
                   "stop after so many trials without a better one (default of local and surrogate: 150, of huge "
                   "spaces 250; 0: never)")
      ->check(takes_whole(0));
  parser
      ->add_option("--time", options->screening.time_s,
                   "end so long after the first candidate began, finals included as they are expected: 90, 90s, 2m, 1h")
      ->transform(takes_time(0.001, 1e6))
      ->type_name("TIME");
  parser->add_option("--timeout", options->screening.timeout_s, "that check and timing of a candidate may take")
      ->transform(takes_time(0.001, 1e6))
      ->type_name("TIME");
  parser->add_option("--where", options->where, "only configurations of which this holds: \"STAGES == 4 && BM > 64\"")
      ->type_name("CONDITION");
  parser->add_option("--seed", options->seed, "of the search")->check(takes_whole(0));
  parser
      ->add_flag("--exclusive{0}", options->company.patience_s,
                 "time nothing while another process is on the GPU: wait, with =TIME at most so long")
      ->transform(takes_time(0, 1e6))
      ->each([options](const std::string&) { options->company.exclusive = true; });
  parser->add_flag("--fresh", options->screening.fresh, "try again what is stored");
  parser->add_flag("--spills", options->screening.allow_spills,
                   "also try configurations that spill more than 64 bytes a thread");
  parser
      ->add_option("--bound", options->screening.bound_factor,
                   "do not compile what cannot take less than this times the best, by its blocks alone (default 1.25; "
                   "0: compile everything)")
      ->check(takes_number(0, 1000));
  parser->option_defaults()->group("Output");
  parser
      ->add_option("--csv", command->csv,
                   "write every trial of the problem, of earlier sessions too, as CSV; - for standard output")
      ->type_name("FILE");
  parser
      ->add_option("--kernel-tuner", command->kernel_tuner,
                   "write what is tried, as it is tried, to Kernel Tuner's cache files in this folder")
      ->type_name("DIR");
  parser->add_option("--markdown", command->markdown, "write the ranking, or the ladder, as Markdown")
      ->type_name("FILE");
  parser->add_flag("-v,--verbose", command->verbose,
                   "also: why variants are left out, how the winner was decided, what compiling and timing cost");
  return {parser, true, [command, &global] { return run(*command, global); }, true};
}

}  // namespace kerlab::cli
