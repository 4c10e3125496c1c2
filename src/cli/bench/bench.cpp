#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/bench/bench_compare.h"
#include "cli/bench/bench_screen.h"
#include "cli/bench/ratio_summary.h"
#include "cli/bench/sweep_drawing.h"
#include "cli/bench/yardstick.h"
#include "cli/frame/beside_screen.h"
#include "cli/frame/interruptible.h"
#include "cli/frame/option_checks.h"
#include "cli/frame/suite.h"
#include "db/database.h"
#include "session/find/subject_name.h"

namespace kerlab::cli {

namespace {

struct BenchCommand {
  BenchOptions options;
  std::vector<std::string> kernels;  ///< as typed: a family, or what is to be compared
  std::string suite;
  bool no_library = false, library_only = false, counts = false;
  BesideOptions beside;
  std::string csv, markdown, svg;  ///< files; "-": standard output
};

/// What one session, or those of a suite, measured.
struct BenchResult {
  std::vector<BenchRow> rows;
  std::vector<BesideAnswer> beside;
  std::string device, headline;
  std::vector<SuiteOutcome> outcomes;  ///< of a suite
};

void print_json(const BenchResult& result, const std::string& suite) {
  JsonValue::Array values;
  for (const BenchRow& row : result.rows) values.push_back(row_json(row));
  JsonValue::Object body{{"device", result.device}, {"rows", std::move(values)}};
  body.emplace_back("summary", ratio_value(ratio_summaries(result.rows)));
  body.emplace_back("beside", beside_value(result.beside));
  add_suite(body, suite, result.outcomes);
  fmt::print("{}\n", to_json(json_document("bench", std::move(body))));
}

void write_svg(const std::vector<BenchRow>& rows, const std::string& device, const std::string& file) {
  const std::string svg = sweep_svg(sweep_drawing(rows, device));
  if (svg.empty()) throw Error(fmt::format("--svg {}: nothing was timed", file));
  write_output(file, svg);
}

void print(const BenchResult& result, const BenchCommand& command, const GlobalOptions& global) {
  const auto& rows = result.rows;
  if (!command.csv.empty()) write_output(command.csv, csv_table(exact_bench_table(rows)));
  if (!command.markdown.empty()) write_output(command.markdown, bench_markdown(rows) + beside_markdown(result.beside));
  if (global.json) {
    print_json(result, command.suite);
  } else if (command.csv != "-" && command.markdown != "-" && command.svg != "-") {
    fmt::print("{}\n{}{}", result.headline,
               bench_screen(rows, command.counts, table_width(0), color_on(global, stdout)),
               beside_text(result.beside, color_on(global, stdout), table_width(0)));
  }
  fmt::print(stderr, "{}", beside_errors(result.beside));
  std::string note;
  for (const BenchRow& row : rows) {
    if (row.library_note != note && !global.json) fmt::print(stderr, "library: {}\n", row.library_note);
    note = row.library_note;
    if (!row.energy_message.empty()) fmt::print(stderr, "energy: {}\n", row.energy_message);
    if (!row.trial.message.empty()) fmt::print(stderr, "{}\n", ending_text(row.trial));
    if (!row.warning.empty())
      fmt::print(stderr, "warning: {} {}: {}\n", row.problem.title(), variant_text(row.trial), row.warning);
  }
  if (!command.svg.empty()) write_svg(rows, result.device, command.svg);  // last: what cannot be drawn has been shown
}

ExitCode verdict(const std::vector<BenchRow>& rows) {
  ExitCode code = rows.empty() ? ExitCode::inconclusive : ExitCode::passed;
  for (const BenchRow& row : rows) {
    const ExitCode one = exit_code_of(row.trial.status);
    if (one == ExitCode::wrong) return one;
    if (one != ExitCode::passed) code = one;
  }
  return code;
}

BenchOptions complete(const BenchCommand& command, BenchOptions options, const GlobalOptions& global) {
  options.library = !command.no_library;
  options.rig = rig_options(global, options.rig.target);
  options.rig.named = options.variants;
  options.command = global.typed;
  options.version = version();
  return options;
}

/// A whole session, its rows added to `result`.
ExitCode run_session(const BenchOptions& options, Database& database, const Interruptible& interrupt,
                     const std::string& prefix, BenchResult& result) {
  ProgressLine progress;
  BenchSession session(options, database);
  const bool interrupted = interrupt.run([&] {
    progress.update(fmt::format("{}bench: problem {} of {}", prefix, std::min(session.done() + 1, session.total()),
                                session.total()));
    return session.step();
  });
  progress.clear();
  for (const std::string& note : session.notes()) fmt::print(stderr, "{}\n", note);
  const DeviceInfo& device = session.rig().device();
  result.device = device.name;
  result.headline = fmt::format("{} {}  {}", device.id, device.name, session.rig().toolchain());
  result.rows.insert(result.rows.end(), session.rows().begin(), session.rows().end());
  result.beside.insert(result.beside.end(), session.beside().begin(), session.beside().end());
  return interrupted ? ExitCode::interrupted : verdict(session.rows());
}

/// The winner of every problem, or what --variant names.
ExitCode run_bench_suite(const BenchCommand& command, const GlobalOptions& global) {
  const Suite suite = open_suite(command.suite, command.options.rig.target, command.options.dtypes, global);
  if (command.options.trial > 0) throw UsageError("--trial and --suite: the suite says which problems");
  Database database = Database::open(database_path(global));
  const Interruptible interrupt;
  BenchResult result;
  const auto kept = std::make_shared<KeptProcesses>();
  result.outcomes = run_suite(suite, interrupt.flag(), [&](const SuiteProblem& problem, const std::string& prefix) {
    BenchOptions options = command.options;
    options.rig.target = problem.family;
    options.arguments = problem.arguments;
    options.dtypes = problem.dtype;
    options = complete(command, std::move(options), global);
    options.rig.kept = kept;
    return run_session(std::move(options), database, interrupt, prefix, result);
  });
  print(result, command, global);
  for (const SuiteOutcome& outcome : result.outcomes)
    if (!outcome.error.empty()) fmt::print(stderr, "{}: {}\n", outcome.problem.title, outcome.error);
  fmt::print(stderr, "{}", suite_verdict(suite, result.outcomes));
  return suite_code(result.outcomes);
}

/// --library-only: what chooses, checks or runs a configuration does not go with it.
ExitCode run_library_only(const BenchCommand& command, const GlobalOptions& global) {
  const BenchOptions& options = command.options;
  if (command.no_library || options.trial > 0 || !options.variants.empty() || !options.configuration.empty() ||
      options.once || options.full || options.energy || !command.svg.empty() || !command.beside.commands.empty())
    throw UsageError(
        "--library-only times no kernel of ours: leave --variant, --config, --trial, --once, --full, "
        "--energy, --svg, --beside and --no-library out");
  return run_yardstick(
      {command.suite, options.rig.target, options.dtypes, options.rounds, options.hot, command.csv, command.markdown},
      global);
}

/// --variant, --trial and --suite say otherwise what a kernel on the command line says.
void refuse_with_kernels(const BenchCommand& command) {
  const BenchOptions& options = command.options;
  if (!command.suite.empty() || command.library_only || options.trial > 0 || !options.variants.empty() ||
      !options.configuration.empty())
    throw UsageError(
        "a kernel with its variant, configuration or id says it all: leave --variant, --config, --trial, --suite and "
        "--library-only out");
}

/// Several kernels, or one of a revision. What is only about one is refused.
ExitCode run_comparison(const BenchCommand& command, const GlobalOptions& global) {
  refuse_with_kernels(command);
  const BenchOptions& options = command.options;
  if (options.once || options.energy || !command.svg.empty() || !command.beside.commands.empty())
    throw UsageError("kernels are compared by their times: leave --once, --energy, --beside and --svg out");
  return run_compare({command.kernels, options, command.csv, command.markdown}, global);
}

/// "gemm/reg2d:BM=64" is `gemm --variant reg2d --config BM=64`, "12" is `--trial 12`.
BenchCommand one_kernel(BenchCommand command, const SubjectName& name) {
  BenchOptions& options = command.options;
  options.rig.target = name.family;
  if (name.trial == 0 && name.variant.empty() && name.configuration.empty()) return command;
  refuse_with_kernels(command);
  options.trial = name.trial;
  options.configuration = name.configuration;
  if (!name.variant.empty()) options.variants = {name.variant};
  return command;
}

ExitCode run_asked(const BenchCommand& command, const GlobalOptions& global) {
  if (command.library_only) return run_library_only(command, global);
  if (command.options.once && !command.beside.commands.empty())
    throw UsageError("--once times nothing that a command could stand beside: leave --beside out");
  if (!command.suite.empty()) return run_bench_suite(command, global);
  BenchOptions options = complete(command, command.options, global);
  options.arguments = global.problem;
  Database database = Database::open(database_path(global));
  const Interruptible interrupt;
  BenchResult result;
  const ExitCode code = run_session(options, database, interrupt, "", result);
  print(result, command, global);
  return code;
}

/// "gemm/reg2d BM=64" is "gemm/reg2d:BM=64".
std::vector<std::string> joined_kernels(const std::vector<std::string>& words) {
  std::vector<std::string> kernels;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (kernels.empty() || equals == std::string::npos || word.find_first_of("/:.") < equals) {
      kernels.push_back(word);
      continue;
    }
    kernels.back() += (kernels.back().find(':') == std::string::npos ? ":" : ",") + word;
  }
  return kernels;
}

ExitCode run(const BenchCommand& typed, const GlobalOptions& global) {
  BenchCommand command = typed;
  command.kernels = joined_kernels(typed.kernels);
  command.options.beside = beside_commands(command.beside);
  if (command.kernels.empty()) return run_asked(command, global);
  const SubjectName first = parse_subject(command.kernels.front());
  if (command.kernels.size() > 1 || !first.revision.empty()) return run_comparison(command, global);
  return run_asked(one_kernel(command, first), global);
}

}  // namespace

Command add_bench(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<BenchCommand>();
  BenchOptions& options = command->options;
  CLI::App* parser =
      root.add_subcommand("bench", "time a configuration, a trial, the winner; A B compares; --M 1K..16K:x2 sweeps");
  parser->group("Measure");
  parser->footer(
      "examples: kerlab bench gemm --variant all --M 1K..4K:x2 --dtype bf16\n"
      "          kerlab bench gemm/reg2d:BM=64 gemm/reg2d:BM=128 --M 1K --dtype fp32\n"
      "          kerlab bench gemm/reg2d@HEAD~3 gemm/reg2d --M 1K\n"
      "          kerlab bench softmax --M 4K --variant all --hot --csv softmax.csv");
  parser->add_option("kernel", command->kernels,
                     "FAMILY[/VARIANT][@REVISION][:NAME=VALUE,...] or NAME=VALUE behind it, a folder, a .cu, a trial's "
                     "id; several are compared "
                     "with the first: checked, then timed in the same rounds");
  parser->option_defaults()->group("Problem");
  parser->add_option("--suite", command->suite, "every problem of this file, or of a shipped suite such as gemm-sm80")
      ->type_name("FILE");
  parser->add_option("--dtype", options.dtypes, "one or several: fp16,bf16");
  parser->option_defaults()->group("Kernels");
  parser
      ->add_option("--variant", options.variants,
                   "its best stored configuration, else the shipped, else its default; \"all\": every one")
      ->delimiter(',')
      ->allow_extra_args(false);
  parser->add_option("--config", options.configuration, "\"BM=128,BN=64\"; others take their defaults");
  parser->add_option("--trial", options.trial, "a stored trial")->check(takes_whole(1));
  parser->option_defaults()->group("How");
  parser->add_option("--rounds", options.rounds, "samples")->check(takes_whole(1, 100000));
  parser->add_flag("--hot", options.hot, "keep the cache warm between samples");
  parser->add_flag("--no-library", command->no_library,
                   "leave the vendor's library out, which is timed in the same rounds");
  parser->add_flag("--library-only", command->library_only,
                   "the vendor's library alone, its own pick and its best algorithm; needs no winner");
  add_beside_options(*parser, command->beside);
  parser->add_flag("--energy", options.energy, "on a GPU: also joules, each alone under load for some seconds (NVML)");
  parser->add_flag("--full", options.full, "on an emulated device: execute every block to verify it");
  parser->add_flag("--once", options.once, "run once and do nothing else, for profilers (ncu --target-processes all)");
  parser->option_defaults()->group("Output");
  parser->add_flag("--counts", command->counts, "on an emulated device: what was predicted beside what was counted");
  parser->add_option("--csv", command->csv, "write the table as CSV; - for standard output")->type_name("FILE");
  parser->add_option("--markdown", command->markdown, "the same as Markdown")->type_name("FILE");
  parser->add_option("--svg", command->svg, "draw a sweep: speed over the dimension that has several values")
      ->type_name("FILE");
  return {parser, true, [command, &global] { return run(*command, global); }};
}

}  // namespace kerlab::cli
