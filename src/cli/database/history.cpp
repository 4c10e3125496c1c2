#include <CLI/CLI.hpp>

#include <ctime>

#include "base/format.h"
#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/option_checks.h"
#include "report/form/json.h"
#include "report/form/table.h"
#include "session/find/subject.h"
#include "session/history/saves.h"

namespace kerlab::cli {

namespace {

constexpr int kNarrowColumns = 44;  // what save, age, time and lines take, with the gaps

struct HistoryCommand {
  std::string kernel;
  std::vector<std::int64_t> diff;
};

/// Seconds since "2026-11-21T09:30:00.123Z"; less than 0: unknown.
double seconds_ago(const std::string& created) {
  std::tm when{};
  if (::strptime(created.c_str(), "%Y-%m-%dT%H:%M:%S", &when) == nullptr) return -1;
  return std::difftime(std::time(nullptr), ::timegm(&when));
}

/// "12 s", "3 min", "5 h", "2 d".
std::string age_text(const std::string& created) {
  const double seconds = seconds_ago(created);
  if (seconds < 0) return "-";
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.0f} h", seconds / 3600);
  return fmt::format("{:.0f} d", seconds / 86400);
}

std::string time_cell(const Save& save) {
  if (save.median_us <= 0) return "-";
  return format_us(save.median_us) + (save.clock == ClockKind::modelled ? " modelled" : "");
}

/// "+3 -1", "" where nothing went before.
std::string lines_cell(const SaveRow& row) {
  return row.before ? fmt::format("+{} -{}", row.added, row.removed) : "";
}

Table history_table(const std::vector<SaveRow>& rows, int width) {
  Table table{{{"save", Align::right},
               {"age", Align::right},
               {"kernel"},
               {"problem"},
               {"verdict"},
               {"us", Align::right},
               {"lines"}},
              {}};
  std::size_t longest = 0;
  for (const SaveRow& row : rows) longest = std::max(longest, row.save.family.size() + row.save.variant.size() + 1);
  const int room = std::max((width - kNarrowColumns - static_cast<int>(longest)) / 2, 12);
  for (const SaveRow& row : rows) {
    const Save& save = row.save;
    const std::string said = save.message.empty() ? save.verdict : save.verdict + ": " + save.message;
    const std::string verdict = save.verdict == "passed" ? "correct" : said.substr(0, said.find('\n'));
    table.rows.push_back({fmt::format("{}", save.id), age_text(save.created), save.family + "/" + save.variant,
                          shortened(save.problem, room), shortened(verdict, room), time_cell(save), lines_cell(row)});
  }
  return table;
}

JsonValue json_of(const SaveRow& row) {
  const Save& save = row.save;
  JsonValue::Array files;
  for (const SavedFile& file : save.files) files.push_back(JsonValue::Object{{"name", file.name}, {"hash", file.hash}});
  return JsonValue::Object{{"number", save.id},
                           {"created", save.created},
                           {"folder", save.folder},
                           {"family", save.family},
                           {"variant", save.variant},
                           {"problem", save.problem},
                           {"trial", save.trial > 0 ? JsonValue(save.trial) : JsonValue()},
                           {"verdict", save.verdict},
                           {"message", save.message},
                           {"median_us", save.median_us > 0 ? JsonValue(save.median_us) : JsonValue()},
                           {"clock", save.clock ? name(*save.clock) : ""},
                           {"before", row.before},
                           {"lines_added", row.added},
                           {"lines_removed", row.removed},
                           {"files", std::move(files)}};
}

/// The save before `save` of the same kernel.
std::optional<Save> save_before(const Database& database, const Save& save) {
  std::optional<Save> before;
  for (Save& other : database.saves(save.folder))
    if (other.variant == save.variant && other.id < save.id) before = std::move(other);
  return before;
}

ExitCode run_diff(const HistoryCommand& command, const Database& database, const GlobalOptions& global) {
  const Save first = find_save(database, command.diff.front());
  const bool two = command.diff.size() > 1;
  const Save after = two ? find_save(database, command.diff[1]) : first;
  const std::optional<Save> before = two ? std::optional(first) : save_before(database, first);
  const std::string difference = save_difference(database, before, after);
  if (global.json) {
    fmt::print("{}\n", to_json(json_document("history", {{"from", before ? JsonValue(before->id) : JsonValue()},
                                                         {"to", after.id},
                                                         {"diff", difference}})));
  } else {
    fmt::print("{}", difference.empty() ? "the files are the same\n" : difference);
  }
  return ExitCode::passed;
}

ExitCode run(const HistoryCommand& command, const GlobalOptions& global) {
  const Database database = open_existing_database(global);
  if (!command.diff.empty()) return run_diff(command, database, global);
  SubjectName name;
  if (!command.kernel.empty()) name = parse_subject(command.kernel);
  refuse_revision(name);
  if (name.trial > 0) throw UsageError("history: name FAMILY[/VARIANT]; a save is shown by --diff N");
  const std::vector<SaveRow> rows = save_rows(database, name.family, name.variant);
  if (global.json) {
    JsonValue::Array values;
    for (const SaveRow& row : rows) values.push_back(json_of(row));
    fmt::print("{}\n", to_json(json_document("history", {{"saves", std::move(values)}})));
  } else if (rows.empty()) {
    fmt::print("no saves of {}: kerlab watch keeps them\n", command.kernel.empty() ? "anything" : command.kernel);
  } else {
    const int width = table_width(120);
    fmt::print("{}", text_table(history_table(rows, width), color_on(global, stdout), 0, width));
    const std::string again = repeated_database(global);
    fmt::print("what one changed: kerlab history --diff N{0}   back to one: kerlab restore N{0}\n", again);
  }
  return ExitCode::passed;
}

}  // namespace

Command add_history(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<HistoryCommand>();
  CLI::App* parser = root.add_subcommand("history", "the saves of a kernel that watch and the lab have kept");
  parser->group("Your own kernels");
  parser->footer("examples: kerlab history ./my_op\n          kerlab history --diff 12 15");
  parser->add_option("kernel", command->kernel, "FAMILY[/VARIANT], or a folder; default: all");
  parser->add_option("--diff", command->diff, "what save N changed, or the difference from N to M")
      ->expected(1, 2)
      ->check(takes_whole(1, 2147483647))
      ->type_name("N [M]");
  return {parser, false, [command, &global] { return run(*command, global); }, false, [] { return true; }};
}

}  // namespace kerlab::cli
