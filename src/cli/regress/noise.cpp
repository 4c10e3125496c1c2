#include <CLI/CLI.hpp>

#include "base/format.h"
#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/interruptible.h"
#include "cli/frame/option_checks.h"
#include "cli/frame/suite.h"
#include "report/form/json.h"
#include "report/form/table.h"
#include "session/regress/noise.h"

namespace kerlab::cli {

namespace {

struct NoiseCommand {
  std::string suite = "noise";
  double margin_percent = 1;
  int processes = 5, pairs = 8;
};

std::string slowdown_percent(double fraction) {
  return fmt::format("{:.2f} %", 100 * fraction);
}

Table to_table(const NoiseReport& report) {
  Table table{{{"kind"},
               {"problem"},
               {"us", Align::right},
               {"spread", Align::right},
               {"against itself"},
               {"sees from", Align::right},
               {"kernel", Align::left, true}},
              {}};
  for (const NoiseRow& row : report.rows) {
    const GateOutcome& twice = row.twice;
    if (twice.processes == 0) continue;
    table.rows.push_back({row.kind, row.title, format_us(twice.base_us), slowdown_percent(row.spread),
                          fmt::format("{:.4f} [{:.4f}, {:.4f}]", twice.ratio, twice.low, twice.high),
                          slowdown_percent(twice.sure), row.label});
  }
  return table;
}

void print_text(const NoiseReport& report, const NoiseCommand& command, bool color) {
  fmt::print("{} ({}): every kernel against itself, {} fresh processes of {} pairs, {:.0f} s\n{}",
             styled(report.device.name, Style::bold, color), report.device.id, report.processes, command.pairs,
             report.seconds, text_table(to_table(report), color, 0, table_width(0)));
  for (const NoiseRow& row : report.rows) {
    if (row.twice.verdict == GateVerdict::passed && row.twice.why.empty()) continue;
    const std::string why = row.twice.why.empty() ? "" : ": " + row.twice.why;
    fmt::print("{} {}{}\n", row.title, name(row.twice.verdict), why);
  }
  fmt::print(
      "spread: of the samples of a process; sees from: a slow-down that so many processes find in 99 of 100 runs, "
      "with a margin of {:g} %; kerlab regress takes more where that is more than {:g} %\n",
      command.margin_percent, command.margin_percent + 100 * GatePlan{}.beyond);
}

JsonValue json_of(const NoiseRow& row) {
  return JsonValue::Object{{"problem", row.title},
                           {"kernel", row.label},
                           {"chosen", row.how},
                           {"kind", row.kind},
                           {"verdict", name(row.twice.verdict)},
                           {"us", row.twice.base_us},
                           {"spread", row.spread},
                           {"ratio", row.twice.ratio},
                           {"ratio_low", row.twice.low},
                           {"ratio_high", row.twice.high},
                           {"mde", row.twice.mde},
                           {"sees_from", row.twice.sure},
                           {"processes", row.twice.processes},
                           {"conditions", row.twice.conditions},
                           {"why", row.twice.why}};
}

ExitCode run(const NoiseCommand& command, const GlobalOptions& global) {
  NoiseOptions options;
  options.rig = rig_options(global, "");
  options.problems = open_suite(command.suite, "", "", global).problems;
  options.gate.rule.margin = command.margin_percent / 100;
  options.gate.plan.processes = options.gate.plan.most_processes = command.processes;
  options.gate.plan.pairs = options.gate.plan.most_pairs = command.pairs;
  options.gate.before_confirming = std::chrono::milliseconds(0);
  const auto database = database_if_there(global);
  ProgressLine progress;
  const Interruptible interrupt;
  NoiseSession session(options, database ? &*database : nullptr);
  const bool interrupted = interrupt.run([&] {
    progress.update("noise: " + session.doing());
    return session.step();
  });
  progress.clear();
  if (interrupted) return ExitCode::interrupted;
  const NoiseReport report = session.report();
  for (const std::string& note : report.notes) fmt::print(stderr, "left out: {}\n", note);
  if (global.json) {
    JsonValue::Array rows;
    for (const NoiseRow& row : report.rows) rows.push_back(json_of(row));
    fmt::print("{}\n", to_json(json_document("noise", {{"device", report.device.name},
                                                       {"device_class", report.device.device_class()},
                                                       {"margin", options.gate.rule.margin},
                                                       {"pairs", command.pairs},
                                                       {"seconds", report.seconds},
                                                       {"rows", std::move(rows)}})));
  } else {
    print_text(report, command, color_on(global, stdout));
  }
  return ExitCode::passed;
}

}  // namespace

Command add_noise(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<NoiseCommand>();
  CLI::App* parser = root.add_subcommand("noise", "what this device's times are worth: kernels against themselves");
  parser->group("Measure");
  parser->footer("examples: kerlab noise\n          kerlab noise --suite my_kernels.toml --processes 7");
  parser->add_option("--suite", command->suite, "of whose problems the kernels are; default: noise")->type_name("FILE");
  parser->add_option("--processes", command->processes, "fresh ones, each measures every kernel; default 5")
      ->check(takes_whole(2, 50));
  parser->add_option("--pairs", command->pairs, "in each process; default 8")->check(takes_whole(2, 1000));
  parser
      ->add_option("--margin", command->margin_percent,
                   "percent that a kernel may be slower without failing; default 1")
      ->check(takes_number(0, 100));
  return {parser, false, [command, &global] { return run(*command, global); }};
}

}  // namespace kerlab::cli
