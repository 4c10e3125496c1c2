#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/command.h"
#include "cli/interrupt.h"
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

void print_text(const CheckSession& session, bool color) {
  fmt::print("{}", text_table(summary(session.rows()), color));
  for (const CheckRow& row : session.rows()) {
    if (!is_failure(row)) continue;
    fmt::print("{} {}: {}\n", styled(std::string(name(row.trial.status)), Style::bad, color), row.problem.title(),
               row.trial.message);
  }
  const CheckState state = session.state();
  fmt::print("{} of {} checks passed\n", state.done - state.failed, state.done);
}

void print_json(const CheckSession& session) {
  JsonValue::Array rows;
  for (const CheckRow& row : session.rows()) {
    rows.push_back(JsonValue::Object{
        {"problem", row.problem.key()}, {"adversarial", row.adversarial}, {"trial", to_value(row.trial)}});
  }
  fmt::print("{}\n", to_json(json_document("check", {{"device", session.rig().device().name},
                                                     {"rows", std::move(rows)},
                                                     {"failed", session.state().failed}})));
}

ExitCode run(CheckOptions options, const GlobalOptions& global) {
  options.rig = rig_options(global, options.rig.target);
  options.arguments = global.problem;
  Database database = Database::open(database_path(global));
  InterruptFlag interrupt;
  ProgressLine progress;
  CheckSession session(options, database);
  bool more = true;
  while (more && !interrupt.raised()) {
    more = session.step();
    const CheckState state = session.state();
    progress.update(fmt::format("check {}/{}{}  {}", state.done, state.total,
                                state.failed > 0 ? fmt::format(" ({} failed)", state.failed) : "", state.label));
  }
  progress.clear();
  for (const std::string& note : session.notes()) fmt::print(stderr, "{}\n", note);
  if (global.json)
    print_json(session);
  else
    print_text(session, color_on(global, stdout));
  if (more) return ExitCode::interrupted;
  return session.state().failed > 0 ? ExitCode::wrong : ExitCode::passed;
}

}  // namespace

Command add_check(CLI::App& root, const GlobalOptions& global) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* parser = root.add_subcommand("check", "check results thoroughly, on shapes that break kernels as well");
  parser->add_option("family", options->rig.target, "a family's name or folder")->required();
  parser->add_option("--dtype", options->dtype, "default: the family's first that the device supports");
  parser->add_option("--variant", options->variants, "default: the winner, or without one every variant")
      ->delimiter(',');
  parser->add_option("--config", options->configuration, "\"BM=128,BN=64\"; others take their defaults");
  parser->add_flag("--every", options->every_configuration, "every valid configuration");
  parser->add_flag("--full", options->full, "on an emulated device: execute every block, whatever it takes");
  parser->add_flag("--only", options->only_asked, "only the problem asked for, no other shapes");
  return {parser, true, [options, &global] { return run(*options, global); }};
}

}  // namespace kerlab
