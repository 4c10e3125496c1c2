#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/format.h"
#include "cli/energy_table.h"
#include "cli/library_cells.h"
#include "cli/option_checks.h"
#include "cli/ratio_summary.h"
#include "cli/suite.h"
#include "cli/yardstick.h"
#include "db/database.h"
#include "report/json.h"
#include "report/modelled_remark.h"
#include "report/operations_text.h"
#include "report/table.h"
#include "report/tune_table.h"
#include "session/bench.h"

namespace kerlab {

namespace {

struct BenchCommand {
  BenchOptions options;
  std::string suite;
  bool no_library = false, library_only = false;
  std::string csv, markdown;  ///< files; "-": standard output
};

std::string rate(double per_run, const BenchRow& row, double unit) {
  return row.measurement ? fmt::format("{:.4g}", per_run / row.measurement->median_us * 1e6 / unit) : "-";
}

std::string time_cell(const Measurement& m) {
  return m.clock == "modelled" ? format_us(m.median_us) : median_with_interval(m.median_us, m.low_us, m.high_us);
}

/// The library's rows that there are, in their order: the titles of their columns.
std::vector<std::string> library_labels(const std::vector<BenchRow>& rows) {
  std::vector<std::string> labels;
  for (const BenchRow& row : rows) {
    for (const LibraryRow& library : row.library)
      if (std::find(labels.begin(), labels.end(), library_way(library.label)) == labels.end())
        labels.push_back(library_way(library.label));
  }
  return labels;
}

const LibraryRow* find_library(const BenchRow& row, const std::string& label) {
  for (const LibraryRow& library : row.library)
    if (library_way(library.label) == label) return &library;
  return nullptr;
}

/// Its time, and how many times as fast ours is.
std::vector<std::string> library_cells(const LibraryRow* library, bool exact) {
  if (library == nullptr) return exact ? std::vector<std::string>(4) : std::vector<std::string>{"-", "-"};
  if (!exact) return {format_us(library->summary.median), ratio_text(library->ratio)};
  std::vector<std::string> cells{fmt::format("{}", library->summary.median), "", "", ""};
  if (library->ratio) {
    cells[1] = fmt::format("{}", library->ratio->ratio);
    cells[2] = fmt::format("{}", library->ratio->interval.low);
    cells[3] = fmt::format("{}", library->ratio->interval.high);
  }
  return cells;
}

Table to_table(const std::vector<BenchRow>& rows, bool exact) {
  const std::vector<std::string> libraries = library_labels(rows);
  Table table{{{"problem"}, {"variant"}, {"configuration"}, {"status"}, {"us", Align::right}}, {}};
  if (exact) table.columns.insert(table.columns.end(), {{"low_us"}, {"high_us"}});
  for (const char* title : {"TFLOP/s", "GB/s", "% roof"}) table.columns.push_back({title, Align::right});
  for (const std::string& label : libraries) {
    table.columns.push_back({label + " us", Align::right});
    table.columns.push_back({exact ? label + " ratio" : "vs it"});
    if (exact) table.columns.insert(table.columns.end(), {{label + " ratio low"}, {label + " ratio high"}});
  }
  table.columns.push_back({"trial", Align::right});
  table.columns.push_back({"chosen"});
  for (const BenchRow& row : rows) {
    const auto& m = row.measurement;
    std::vector<std::string> cells = {row.problem.title(), row.trial.variant, row.trial.configuration,
                                      std::string(name(row.trial.status))};
    if (exact) {
      cells.insert(cells.end(), {m ? fmt::format("{}", m->median_us) : "", m ? fmt::format("{}", m->low_us) : "",
                                 m ? fmt::format("{}", m->high_us) : ""});
    } else {
      cells.push_back(m ? time_cell(*m) : "-");
    }
    cells.insert(cells.end(), {rate(row.flops, row, 1e12), rate(row.bytes, row, 1e9),
                               m ? fmt::format("{:.1f}", 100 * row.roof_us / m->median_us) : "-"});
    for (const std::string& label : libraries)
      for (std::string& cell : library_cells(find_library(row, label), exact)) cells.push_back(std::move(cell));
    cells.insert(cells.end(), {row.trial.id > 0 ? fmt::format("{}", row.trial.id) : "-", row.chosen});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

JsonValue to_value(const BenchRow& row) {
  JsonValue::Object value{{"problem", row.problem.key()}, {"chosen", row.chosen},
                          {"flops", row.flops},           {"bytes", row.bytes},
                          {"roof_us", row.roof_us},       {"trial", to_value(row.trial)},
                          {"warning", row.warning},       {"operations", to_value(row.operations)}};
  value.emplace_back("measurement", row.measurement ? to_value(*row.measurement) : JsonValue());
  value.emplace_back("library", library_value(row.library));
  value.emplace_back("library_note", row.library_note);
  value.emplace_back("energy", energy_value(row.energy));
  return value;
}

void print_remark(const std::vector<BenchRow>& rows) {
  const auto modelled = [](const BenchRow& row) { return row.measurement && row.measurement->clock == "modelled"; };
  const auto row = std::find_if(rows.begin(), rows.end(), modelled);
  if (row != rows.end()) fmt::print("times are {}\n", modelled_remark(row->trial.family, row->trial.dtype));
}

/// On an emulated device: what the variants predict beside what was counted.
void print_operations(const std::vector<BenchRow>& rows) {
  for (const BenchRow& row : rows) {
    if (!row.operations.has_predictions()) continue;
    fmt::print("\n{} {}: {}", row.trial.variant, row.trial.configuration, operations_text(row.operations));
  }
}

/// What one session, or those of a suite, measured.
struct BenchResult {
  std::vector<BenchRow> rows;
  std::string device, headline;
  std::vector<SuiteOutcome> outcomes;  ///< of a suite
};

void print_json(const BenchResult& result, const std::string& suite) {
  JsonValue::Array values;
  for (const BenchRow& row : result.rows) values.push_back(to_value(row));
  JsonValue::Object body{{"device", result.device}, {"rows", std::move(values)}};
  body.emplace_back("summary", ratio_value(ratio_summaries(result.rows)));
  add_suite(body, suite, result.outcomes);
  fmt::print("{}\n", to_json(json_document("bench", std::move(body))));
}

void print(const BenchResult& result, const BenchCommand& command, const GlobalOptions& global) {
  const auto& rows = result.rows;
  if (!command.csv.empty()) write_output(command.csv, csv_table(to_table(rows, true)));
  const std::vector<RatioSummary> summaries = ratio_summaries(rows);
  const Table energies = energy_table(rows);
  if (!command.markdown.empty()) {
    std::string text = markdown_table(to_table(rows, false));
    if (rows.size() > 1 && !summaries.empty()) text += "\n" + markdown_table(ratio_table(summaries));
    if (!energies.rows.empty()) text += "\n" + energy_heading() + "\n" + markdown_table(energies);
    write_output(command.markdown, text);
  }
  if (global.json) {
    print_json(result, command.suite);
  } else if (command.csv != "-" && command.markdown != "-") {
    fmt::print("{}\n{}", result.headline, text_table(to_table(rows, false), color_on(global, stdout)));
    if (rows.size() > 1 && !summaries.empty()) fmt::print("\n{}", text_table(ratio_table(summaries)));
    if (!energies.rows.empty()) fmt::print("\n{}{}", energy_heading(), text_table(energies));
    print_remark(rows);
    print_operations(rows);
  }
  std::string note;
  for (const BenchRow& row : rows) {
    if (row.library_note != note && !global.json) fmt::print(stderr, "library: {}\n", row.library_note);
    note = row.library_note;
    if (!row.energy_message.empty()) fmt::print(stderr, "energy: {}\n", row.energy_message);
    if (!row.trial.message.empty()) fmt::print(stderr, "{}: {}\n", name(row.trial.status), row.trial.message);
    if (!row.warning.empty())
      fmt::print(stderr, "warning: {} {}: {}\n", row.problem.title(), row.trial.variant, row.warning);
  }
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
  options.command = global.typed;
  options.version = version();
  return options;
}

/// A whole session, its rows added to `result`.
ExitCode run_session(const BenchOptions& options, Database& database, const InterruptFlag& interrupt,
                     const std::string& prefix, BenchResult& result) {
  ProgressLine progress;
  BenchSession session(options, database);
  bool more = true;
  while (more && !interrupt.raised()) {
    progress.update(fmt::format("{}bench: problem {} of {}", prefix, std::min(session.done() + 1, session.total()),
                                session.total()));
    more = session.step();
  }
  progress.clear();
  for (const std::string& note : session.notes()) fmt::print(stderr, "{}\n", note);
  const DeviceInfo& device = session.rig().device();
  result.device = device.name;
  result.headline = fmt::format("{} {}  {}", device.id, device.name, session.rig().toolchain());
  result.rows.insert(result.rows.end(), session.rows().begin(), session.rows().end());
  return more ? ExitCode::interrupted : verdict(session.rows());
}

/// The winner of every problem, or what --variant names.
ExitCode run_bench_suite(const BenchCommand& command, const GlobalOptions& global) {
  const Suite suite = open_suite(command.suite, command.options.rig.target, command.options.dtypes, global);
  if (command.options.trial > 0) throw UsageError("--trial and --suite: the suite says which problems");
  Database database = Database::open(database_path(global));
  const InterruptFlag interrupt;
  BenchResult result;
  const auto kept = std::make_shared<KeptProcesses>();
  result.outcomes = run_suite(suite, interrupt, [&](const SuiteProblem& problem, const std::string& prefix) {
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
      options.once || options.full || options.energy)
    throw UsageError(
        "--library-only times no kernel of ours: leave --variant, --config, --trial, --once, --full, "
        "--energy and --no-library out");
  return run_yardstick(
      {command.suite, options.rig.target, options.dtypes, options.rounds, options.hot, command.csv, command.markdown},
      global);
}

ExitCode run(const BenchCommand& command, const GlobalOptions& global) {
  if (command.library_only) return run_library_only(command, global);
  if (!command.suite.empty()) return run_bench_suite(command, global);
  BenchOptions options = complete(command, command.options, global);
  options.arguments = global.problem;
  Database database = Database::open(database_path(global));
  const InterruptFlag interrupt;
  BenchResult result;
  const ExitCode code = run_session(options, database, interrupt, "", result);
  print(result, command, global);
  return code;
}

}  // namespace

Command add_bench(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<BenchCommand>();
  BenchOptions& options = command->options;
  CLI::App* parser = root.add_subcommand("bench", "time a configuration, a trial, the winner; --M 1K..16K:x2 sweeps");
  parser->group("Measure");
  parser->footer(
      "examples: kerlab bench gemm --variant all --M 1K..4K:x2 --dtype bf16\n"
      "          kerlab bench softmax --M 4K --variant all --hot --csv softmax.csv");
  parser->add_option("family", options.rig.target, "a family's name or folder; not needed with --trial");
  parser->option_defaults()->group("Problem");
  parser->add_option("--suite", command->suite, "every problem of this file, or of a shipped suite such as gemm-sm80")
      ->type_name("FILE");
  parser->add_option("--dtype", options.dtypes, "one or several: fp16,bf16");
  parser->option_defaults()->group("Kernels");
  parser
      ->add_option("--variant", options.variants,
                   "its best stored configuration, else the shipped, else its default; \"all\": every one")
      ->delimiter(',');
  parser->add_option("--config", options.configuration, "\"BM=128,BN=64\"; others take their defaults");
  parser->add_option("--trial", options.trial, "a stored trial")->check(takes_whole(1));
  parser->option_defaults()->group("How");
  parser->add_option("--rounds", options.rounds, "samples")->check(takes_whole(1, 100000));
  parser->add_flag("--hot", options.hot, "keep the cache warm between samples");
  parser->add_flag("--no-library", command->no_library,
                   "leave the vendor's library out, which is timed in the same rounds");
  parser->add_flag("--library-only", command->library_only,
                   "the vendor's library alone, its own pick and its best algorithm; needs no winner");
  parser->add_flag("--energy", options.energy, "on a GPU: also joules, each alone under load for some seconds (NVML)");
  parser->add_flag("--full", options.full, "on an emulated device: execute every block to verify it");
  parser->add_flag("--once", options.once, "run once and do nothing else, for profilers (ncu --target-processes all)");
  parser->option_defaults()->group("Output");
  parser->add_option("--csv", command->csv, "write the table as CSV; - for standard output")->type_name("FILE");
  parser->add_option("--markdown", command->markdown, "the same as Markdown")->type_name("FILE");
  return {parser, true, [command, &global] { return run(*command, global); }};
}

}  // namespace kerlab
