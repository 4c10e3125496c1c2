#include <CLI/CLI.hpp>

#include "base/format.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "db/database.h"
#include "report/json.h"
#include "report/operations_text.h"
#include "report/table.h"
#include "report/tune_table.h"
#include "session/bench.h"

namespace kerlab {

namespace {

struct BenchCommand {
  BenchOptions options;
  std::string csv, markdown;  ///< files; "-": standard output
};

std::string rate(double per_run, const BenchRow& row, double unit) {
  return row.measurement ? fmt::format("{:.4g}", per_run / row.measurement->median_us * 1e6 / unit) : "-";
}

Table to_table(const std::vector<BenchRow>& rows, bool exact) {
  Table table{{{"problem"}, {"variant"}, {"configuration"}, {"status"}, {"us", Align::right}}, {}};
  if (exact) table.columns.insert(table.columns.end(), {{"low_us"}, {"high_us"}});
  for (const char* title : {"TFLOP/s", "GB/s", "% roof"}) table.columns.push_back({title, Align::right});
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
      cells.push_back(m ? median_with_interval(m->median_us, m->low_us, m->high_us) : "-");
    }
    cells.insert(cells.end(), {rate(row.flops, row, 1e12), rate(row.bytes, row, 1e9),
                               m ? fmt::format("{:.1f}", 100 * row.roof_us / m->median_us) : "-",
                               row.trial.id > 0 ? fmt::format("{}", row.trial.id) : "-", row.chosen});
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
  return value;
}

/// On an emulated device: what the variants predict beside what was counted.
void print_operations(const std::vector<BenchRow>& rows) {
  for (const BenchRow& row : rows) {
    if (!row.operations.has_predictions()) continue;
    fmt::print("\n{} {}: {}", row.trial.variant, row.trial.configuration, operations_text(row.operations));
  }
}

void print(const BenchSession& session, const BenchCommand& command, const GlobalOptions& global) {
  const auto& rows = session.rows();
  if (!command.csv.empty()) write_output(command.csv, csv_table(to_table(rows, true)));
  if (!command.markdown.empty()) write_output(command.markdown, markdown_table(to_table(rows, false)));
  if (global.json) {
    JsonValue::Array values;
    for (const BenchRow& row : rows) values.push_back(to_value(row));
    fmt::print("{}\n",
               to_json(json_document("bench", {{"device", session.rig().device().name}, {"rows", std::move(values)}})));
  } else if (command.csv != "-" && command.markdown != "-") {
    fmt::print("{} {}  {}\n", session.rig().device().id, session.rig().device().name, session.rig().toolchain());
    fmt::print("{}", text_table(to_table(rows, false), color_on(global, stdout)));
    print_operations(rows);
  }
  for (const BenchRow& row : rows) {
    if (!row.trial.message.empty()) fmt::print(stderr, "{}: {}\n", name(row.trial.status), row.trial.message);
    if (!row.warning.empty())
      fmt::print(stderr, "warning: {} {}: {}\n", row.problem.title(), row.trial.variant, row.warning);
  }
}

ExitCode verdict(const std::vector<BenchRow>& rows) {
  ExitCode code = rows.empty() ? ExitCode::inconclusive : ExitCode::passed;
  for (const BenchRow& row : rows) {
    const TrialStatus status = row.trial.status;
    if (status == TrialStatus::wrong || status == TrialStatus::guard_violation || status == TrialStatus::input_modified)
      return ExitCode::wrong;
    if (status != TrialStatus::passed) code = ExitCode::failed;
  }
  return code;
}

ExitCode run(BenchCommand command, const GlobalOptions& global) {
  BenchOptions& options = command.options;
  options.rig = rig_options(global, options.rig.target);
  options.arguments = global.problem;
  options.command = global.typed;
  options.version = version();
  Database database = Database::open(database_path(global));
  InterruptFlag interrupt;
  ProgressLine progress;
  BenchSession session(options, database);
  bool more = true;
  while (more && !interrupt.raised()) {
    progress.update(
        fmt::format("bench: problem {} of {}", std::min(session.done() + 1, session.total()), session.total()));
    more = session.step();
  }
  progress.clear();
  for (const std::string& note : session.notes()) fmt::print(stderr, "{}\n", note);
  print(session, command, global);
  return more ? ExitCode::interrupted : verdict(session.rows());
}

}  // namespace

Command add_bench(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<BenchCommand>();
  BenchOptions& options = command->options;
  CLI::App* parser = root.add_subcommand("bench", "time a configuration, a trial, the winner; --M 1K..16K:x2 sweeps");
  parser->add_option("family", options.rig.target, "a family's name or folder; not needed with --trial");
  parser->add_option("--dtype", options.dtypes, "one or several: fp16,bf16");
  parser
      ->add_option("--variant", options.variants, "its best stored configuration, else its default; \"all\": every one")
      ->delimiter(',');
  parser->add_option("--config", options.configuration, "\"BM=128,BN=64\"; others take their defaults");
  parser->add_option("--trial", options.trial, "a stored trial")->check(CLI::PositiveNumber);
  parser->add_option("--rounds", options.rounds, "samples")->check(CLI::Range(1, 100000));
  parser->add_flag("--hot", options.hot, "keep the cache warm between samples");
  parser->add_flag("--full", options.full, "on an emulated device: execute every block to verify it");
  parser->add_flag("--once", options.once, "run once and do nothing else, for profilers (ncu --target-processes all)");
  parser->add_option("--csv", command->csv, "write the table as CSV; - for standard output")->type_name("FILE");
  parser->add_option("--markdown", command->markdown, "the same as Markdown")->type_name("FILE");
  return {parser, true, [command, &global] { return run(*command, global); }};
}

}  // namespace kerlab
