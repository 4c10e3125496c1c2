#include <algorithm>
#include <CLI/CLI.hpp>

#include "base/format.h"
#include "cli/database/db_exchange.h"
#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/failure_screen.h"
#include "cli/frame/shipped_screen.h"
#include "report/form/json.h"
#include "report/form/table.h"
#include "report/text/tune_table.h"
#include "session/analyse/listing.h"

namespace kerlab::cli {

namespace {

/// Trials are stored by the name of their family; a folder has one.
std::string stored_name(const std::string& family, const GlobalOptions& global) {
  const bool folder = family.find('/') != std::string::npos || family == "." || family == "..";
  return folder ? list_family(kernel_folders(global), family).name : family;
}

ExitCode path(const GlobalOptions& global) {
  const std::string path = database_path(global).string();
  if (global.json) {
    print_db_document("path", {{"path", path}, {"exists", std::filesystem::exists(path)}});
  } else {
    fmt::print("{}\n", path);
  }
  return ExitCode::passed;
}

ExitCode stats(const GlobalOptions& global) {
  const Database database = open_existing_database(global);
  const Database::Stats stats = database.stats();
  std::map<std::string_view, std::int64_t> by_status;
  for (const Trial& trial : database.trials_of("")) ++by_status[name(trial.status)];
  JsonValue::Object statuses;
  std::vector<std::string> counts;
  for (const auto& [status, count] : by_status) {
    statuses.emplace_back(status, count);
    counts.push_back(fmt::format("{} {}", count, status));
  }
  if (global.json) {
    print_db_document("stats", {{"path", database.path().string()},
                                {"schema", stats.schema},
                                {"bytes", stats.bytes},
                                {"sessions", stats.sessions},
                                {"trials", stats.trials},
                                {"trials_by_status", std::move(statuses)},
                                {"measurements", stats.measurements},
                                {"decisions", stats.decisions}});
    return ExitCode::passed;
  }
  fmt::print("{}\n  {}, schema {}\n", database.path().string(), format_bytes(stats.bytes), stats.schema);
  fmt::print("  {:>8} sessions\n  {:>8} trials{}{}\n", grouped(stats.sessions), grouped(stats.trials),
             counts.empty() ? "" : ": ", fmt::join(counts, ", "));
  fmt::print("  {:>8} measurements\n  {:>8} decisions\n", grouped(stats.measurements), grouped(stats.decisions));
  return ExitCode::passed;
}

/// One trial with the newest measurement it has: final, else bench, else screen.
struct Listed {
  Trial trial;
  std::optional<Measurement> measurement;
  std::int64_t winner_of = 0;  ///< id of the standing decision; 0: none
};

std::optional<Measurement> best_measurement(const Database& database, std::int64_t trial) {
  for (const TimingStage stage : kMostTrustedFirst) {
    if (auto measurement = database.latest_measurement(trial, stage)) return measurement;
  }
  return {};
}

/// By problem and device, the fastest first, those without a time behind in the order tried.
bool listed_before(const Listed& a, const Listed& b) {
  const auto order = [](const Listed& listed) {
    return std::make_tuple(std::cref(listed.trial.problem), std::cref(listed.trial.device_class),
                           !listed.measurement.has_value(), listed.measurement ? listed.measurement->median_us : 0.0,
                           listed.trial.id);
  };
  return order(a) < order(b);
}

std::vector<Listed> list_trials(const Database& database, const std::string& family, const std::string& status) {
  const auto wanted = parse_trial_status(status);
  if (!status.empty() && !wanted) {
    throw UsageError(
        fmt::format("--status {}: no such status; passed, wrong, rejected, compile_error, timeout, "
                    "illegal_address, ... (docs/json.md lists them all)",
                    status));
  }
  std::map<std::int64_t, std::int64_t> winners;
  for (const Decision& decision : database.winners()) winners[decision.trial] = decision.id;
  std::vector<Listed> listed;
  for (Trial& trial : database.trials_of(family)) {
    if (wanted && trial.status != *wanted) continue;
    std::optional<Measurement> measurement =
        trial.status == TrialStatus::passed ? best_measurement(database, trial.id) : std::nullopt;
    const auto winner = winners.find(trial.id);
    listed.push_back({std::move(trial), std::move(measurement), winner == winners.end() ? 0 : winner->second});
  }
  std::sort(listed.begin(), listed.end(), listed_before);
  return listed;
}

std::string configuration_cell(const Listed& listed) {
  const Trial& trial = listed.trial;
  std::string text = label_text(trial);
  if (!trial.message.empty()) text += "  " + shortened(trial.message.substr(0, trial.message.find('\n')), 80);
  return text;
}

void print_block(const std::vector<const Listed*>& block, bool color) {
  Table table{{{"id", Align::right}, {"status"}, {"us [95 %]"}, {"stage"}, {"configuration", Align::left, true}}, {}};
  for (const Listed* listed : block) {
    const auto& measurement = listed->measurement;
    table.rows.push_back(
        {fmt::format("{}", listed->trial.id),
         fmt::format("{}{}", name(listed->trial.status), listed->winner_of > 0 ? ", winner" : ""),
         measurement ? median_with_interval(measurement->median_us, measurement->low_us, measurement->high_us) : "-",
         std::string(measurement ? name(measurement->stage) : "-"), configuration_cell(*listed)});
  }
  const Trial& first = block.front()->trial;
  fmt::print("{}   {}\n{}", styled(first.problem, Style::bold, color), first.device_class,
             text_table(table, color, 2, table_width(0)));
}

ExitCode trials(const GlobalOptions& global, const std::string& family, const std::string& status) {
  const Database database = open_existing_database(global);
  const std::vector<Listed> listed = list_trials(database, family, status);
  if (global.json) {
    JsonValue::Array values;
    for (const Listed& one : listed) {
      values.push_back(JsonValue::Object{
          {"trial", to_value(one.trial)},
          {"measurement", one.measurement ? to_value(*one.measurement) : JsonValue()},
          {"winner", one.winner_of > 0},
      });
    }
    print_db_document("trials", {{"path", database.path().string()}, {"trials", JsonValue(std::move(values))}});
    return ExitCode::passed;
  }
  if (listed.empty()) fmt::print("no such trial in {}\n", database.path().string());
  std::vector<const Listed*> block;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    block.push_back(&listed[i]);
    const bool last = i + 1 == listed.size() || listed[i + 1].trial.problem != listed[i].trial.problem ||
                      listed[i + 1].trial.device_class != listed[i].trial.device_class;
    if (!last) continue;
    print_block(block, color_on(global, stdout));
    fmt::print("{}", i + 1 == listed.size() ? "kerlab show ID tells all about one\n" : "\n");
    block.clear();
  }
  return ExitCode::passed;
}

/// A standing decision with what it rests on.
struct Winner {
  Decision decision;
  Trial trial;
  Measurement measurement;
};

std::vector<Winner> list_winners(const Database& database) {
  std::vector<Winner> winners;
  for (const Decision& decision : database.winners()) {
    const std::optional<Trial> trial = database.trial(decision.trial);
    for (const Measurement& measurement : database.measurements(decision.trial)) {
      if (trial && measurement.id == decision.measurement) winners.push_back({decision, *trial, measurement});
    }
  }
  std::ranges::stable_sort(winners, {}, [](const Winner& winner) { return winner.decision.device_class; });
  return winners;
}

std::vector<std::string> cells(const Winner& winner) {
  const auto& [decision, trial, measurement] = winner;
  return {fmt::format("{}", trial.id),
          decision.problem,
          median_with_interval(measurement.median_us, measurement.low_us, measurement.high_us),
          fmt::format("{}", decision.candidates),
          rule_text(decision.rule),
          decision.created.substr(0, 10),
          label_text(trial)};
}

/// One table for each device.
void print_winners(const std::vector<Winner>& winners, bool color) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    rows.push_back(cells(winners[i]));
    const std::string& device = winners[i].decision.device_class;
    if (i + 1 < winners.size() && winners[i + 1].decision.device_class == device) continue;
    const std::vector<Column> columns{{"id", Align::right},
                                      {"problem", Align::left, true},
                                      {"us [95 %]"},
                                      {"tried", Align::right},
                                      {"rule", Align::left, true},
                                      {"when"},
                                      {"configuration", Align::left, true}};
    fmt::print("{}\n{}", styled(device, Style::bold, color),
               text_table({columns, std::exchange(rows, {})}, color, 2, table_width(0)));
  }
}

ExitCode winners(const GlobalOptions& global) {
  const Database database = open_existing_database(global);
  const std::vector<Winner> winners = list_winners(database);
  if (global.json) {
    JsonValue::Array values;
    for (const Winner& winner : winners) {
      values.push_back(JsonValue::Object{{"decision", to_value(winner.decision)},
                                         {"trial", to_value(winner.trial)},
                                         {"measurement", to_value(winner.measurement)}});
    }
    print_db_document("winners", {{"path", database.path().string()}, {"winners", JsonValue(std::move(values))}});
  } else if (winners.empty()) {
    fmt::print("no winner in {} yet; kerlab tune FAMILY finds one\n", database.path().string());
  } else {
    print_winners(winners, color_on(global, stdout));
  }
  return ExitCode::passed;
}

}  // namespace

Command add_db(CLI::App& root, const GlobalOptions& global) {
  struct Options {
    std::string file, family, status, out, format;
  };
  auto options = std::make_shared<Options>();
  CLI::App* parser =
      root.add_subcommand("db", "the tuning database: path, stats, trials, failures, winners, export, import, ship");
  parser->group("Keep");
  parser->footer(
      "examples: kerlab db trials gemm\n"
      "          kerlab db failures --status wrong\n"
      "          kerlab db export backup.jsonl\n"
      "          kerlab db export spaces --format kernel-tuner");
  parser->require_subcommand(1);
  parser->fallthrough();
  parser->add_subcommand("path", "where it is");
  parser->add_subcommand("stats", "how much there is in it");
  parser->add_subcommand("winners", "the standing winner of every problem and device");
  CLI::App* list = parser->add_subcommand("trials", "trials with their ids, the fastest of each problem first");
  list->add_option("family", options->family, "only of this family");
  list->add_option("--status", options->status, "only these: passed, wrong, rejected, ...");
  CLI::App* failures =
      parser->add_subcommand("failures", "failed trials: why, how to see it again, which constraint excludes them");
  failures->add_option("family", options->family, "only of this family");
  failures->add_option("--status", options->status, "only these: wrong, rejected, illegal_address, ...");
  CLI::App* write = parser->add_subcommand("export", "write it as text, one JSON object a line");
  write->add_option("file", options->file, "default: standard output; a folder for the formats of other tuners");
  write
      ->add_option("--format", options->format,
                   "kernel-tuner or t4: what a GPU measured, a file for each kernel and problem")
      ->check(CLI::IsMember({"kernel-tuner", "t4"}));
  write->add_option("--family", options->family, "with --format: only of this family");
  CLI::App* read = parser->add_subcommand("import", "take over what an export holds and is not there yet");
  read->add_option("file", options->file, "written by kerlab db export")->required();
  CLI::App* to_ship =
      parser->add_subcommand("ship", "write the winners that a GPU measured as text, for others to start from");
  to_ship->add_option("--out", options->out, "default: where a tune looks for them")->type_name("DIR");
  for (CLI::App* action : parser->get_subcommands({})) action->fallthrough();
  return {parser, false,
          [parser, options, &global] {
            const std::string action = parser->get_subcommands().front()->get_name();
            if (action == "path") return path(global);
            if (action == "stats") return stats(global);
            if (action == "winners") return winners(global);
            if (action == "trials") return trials(global, stored_name(options->family, global), options->status);
            if (action == "failures")
              return print_failures(global, stored_name(options->family, global), options->status);
            if (action == "ship") return ship(global, options->out);
            if (action == "export" && !options->format.empty())
              return export_spaces(global, options->file, options->format, stored_name(options->family, global));
            if (action == "export") return export_to(global, options->file);
            return import_from(global, options->file);
          },
          false, [] { return true; }};
}

}  // namespace kerlab::cli
