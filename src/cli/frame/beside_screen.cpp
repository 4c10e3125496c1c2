#include "cli/frame/beside_screen.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/format.h"
#include "base/split.h"
#include "cli/frame/command.h"
#include "cli/frame/option_checks.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {
namespace {

constexpr std::size_t kLastLines = 12;
constexpr const char* kHeading =
    "beside, each timed by itself and not in the same rounds; its results were not checked";

std::string beside_time_text(const BesideRow& row) {
  if (row.summary.count == 0) return format_us(row.summary.median);
  return median_with_interval(row.summary.median, row.summary.low, row.summary.high);
}

std::string over_ours(const BesideAnswer& answer, const BesideRow& row) {
  return answer.ours_us ? fmt::format("{:.3f}", row.summary.median / *answer.ours_us) : "-";
}

std::string remark_of(const BesideRow& row) {
  const std::string told = row.impossible ? "impossible: faster than this device could be" : "";
  return told + (told.empty() || row.note.empty() ? "" : "; ") + row.note;
}

bool has_rows(const std::vector<BesideAnswer>& answers) {
  return std::ranges::any_of(answers, [](const BesideAnswer& answer) { return !answer.rows.empty(); });
}

}  // namespace

void add_beside_options(CLI::App& parser, BesideOptions& options) {
  parser
      .add_option(
          "--beside", options.commands,
          "a command whose rows are shown beside, as \"python compare.py\": asked in lines of JSON, times itself "
          "(docs/libraries.md); may be repeated")
      ->type_name("COMMAND")
      ->expected(1)
      ->take_all();
  parser.add_option("--beside-timeout", options.seconds, "that each of its answers may take (default: 2m)")
      ->transform(takes_time(0.001, 1e6))
      ->type_name("TIME");
}

BesideCommands beside_commands(const BesideOptions& options) {
  BesideCommands commands;
  for (const std::string& command : options.commands) {
    std::vector<std::string> words = split_words(command);
    if (words.empty()) throw UsageError("--beside: the command is empty");
    commands.push_back(std::make_shared<BesideCommand>(command, std::move(words), options.seconds));
  }
  return commands;
}

Table beside_table(const std::vector<BesideAnswer>& answers) {
  const bool several = std::ranges::any_of(
      answers, [&](const BesideAnswer& answer) { return answer.problem != answers.front().problem; });
  Table table;
  if (several) table.columns.push_back({"problem"});
  table.columns.insert(table.columns.end(), {{"beside"},
                                             {"us", Align::right},
                                             {"over ours", Align::right},
                                             {"by", Align::left, true},
                                             {"note", Align::left, true}});
  for (const BesideAnswer& answer : answers)
    for (const BesideRow& row : answer.rows) {
      std::vector<std::string> cells;
      if (several) cells.push_back(answer.title);
      cells.insert(cells.end(),
                   {row.name, beside_time_text(row), over_ours(answer, row), answer.command, remark_of(row)});
      table.rows.push_back(std::move(cells));
    }
  return table;
}

std::string beside_text(const std::vector<BesideAnswer>& answers, bool color, int width) {
  if (!has_rows(answers)) return "";
  return "\n" + folded(kHeading, width) + text_table(beside_table(answers), color, 0, width);
}

std::string beside_markdown(const std::vector<BesideAnswer>& answers) {
  if (!has_rows(answers)) return "";
  return fmt::format("\n{}\n\n{}", kHeading, markdown_table(beside_table(answers)));
}

std::string beside_errors(const std::vector<BesideAnswer>& answers) {
  std::string text;
  for (const BesideAnswer& answer : answers) {
    if (answer.error.empty()) continue;
    text += fmt::format("beside {}: {}: {}\n", quoted(answer.command), answer.title, answer.error);
    const std::vector<std::string_view> lines = split_lines(answer.last_words);
    for (std::size_t i = lines.size() - std::min(lines.size(), kLastLines); i < lines.size(); ++i)
      text += fmt::format("  | {}\n", lines[i]);
  }
  return text;
}

JsonValue beside_value(const std::vector<BesideAnswer>& answers) {
  JsonValue::Array values;
  for (const BesideAnswer& answer : answers) {
    JsonValue::Array rows;
    for (const BesideRow& row : answer.rows) {
      const bool sampled = row.summary.count > 0;
      JsonValue::Object value{{"name", row.name}, {"median_us", row.summary.median}};
      value.emplace_back("low_us", sampled ? JsonValue(row.summary.low) : JsonValue());
      value.emplace_back("high_us", sampled ? JsonValue(row.summary.high) : JsonValue());
      value.emplace_back("samples", row.summary.count);
      value.emplace_back("over_ours", answer.ours_us ? JsonValue(row.summary.median / *answer.ours_us) : JsonValue());
      value.emplace_back("impossible", row.impossible);
      value.emplace_back("note", row.note);
      rows.push_back(std::move(value));
    }
    values.push_back(JsonValue::Object{{"command", answer.command},
                                       {"problem", answer.problem},
                                       {"timed", "by itself"},
                                       {"rows", std::move(rows)},
                                       {"error", answer.error},
                                       {"stderr", answer.last_words}});
  }
  return values;
}

}  // namespace kerlab::cli
