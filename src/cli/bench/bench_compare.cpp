#include "cli/bench/bench_compare.h"

#include "cli/bench/compare_screen.h"
#include "cli/frame/interruptible.h"

namespace kerlab::cli {

namespace {

CompareOptions options_of(const CompareCommand& command, const GlobalOptions& global) {
  CompareOptions options;
  for (const std::string& kernel : command.kernels) options.kernels.push_back(parse_subject(kernel));
  options.rig = rig_options(global, "");
  options.arguments = global.problem;
  options.dtype = command.options.dtypes;
  options.rounds = command.options.rounds;
  options.hot = command.options.hot;
  options.full = command.options.full;
  options.command = global.typed;
  options.version = version();
  return options;
}

void print(const Comparison& result, const CompareCommand& command, const GlobalOptions& global) {
  if (!command.csv.empty()) write_output(command.csv, csv_table(exact_comparison(result)));
  if (!command.markdown.empty()) write_output(command.markdown, compare_markdown(result));
  if (global.json) {
    fmt::print("{}\n", to_json(json_document("bench", compare_value(result))));
  } else if (command.csv != "-" && command.markdown != "-") {
    fmt::print("{}", compare_screen(result, repeated_options(global), table_width(0), color_on(global, stdout)));
  }
  for (const ComparedKernel& kernel : result.kernels)
    if (!kernel.warning.empty()) fmt::print(stderr, "warning: {}: {}\n", kernel.name, kernel.warning);
}

/// The first that is wrong, else the first that failed otherwise.
ExitCode verdict(const Comparison& result) {
  ExitCode code = ExitCode::passed;
  for (const ComparedKernel& kernel : result.kernels) {
    const ExitCode one = exit_code_of(kernel.trial.status);
    if (one == ExitCode::wrong) return one;
    if (code == ExitCode::passed) code = one;
  }
  return code;
}

}  // namespace

ExitCode run_compare(const CompareCommand& command, const GlobalOptions& global) {
  Database database = Database::open(database_path(global));
  const Interruptible interrupt;
  ProgressLine progress;
  CompareSession session(options_of(command, global), database);
  const bool interrupted = interrupt.run([&] {
    progress.update(fmt::format("bench: {}", session.doing()));
    return session.step();
  });
  progress.clear();
  for (const std::string& note : session.result().notes) fmt::print(stderr, "{}\n", note);
  if (interrupted) return ExitCode::interrupted;
  print(session.result(), command, global);
  return verdict(session.result());
}

}  // namespace kerlab::cli
