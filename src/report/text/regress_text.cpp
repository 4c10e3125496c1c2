#include "report/text/regress_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/format.h"
#include "base/terminal.h"
#include "report/text/operations_text.h"

namespace kerlab::report {

namespace {

using Judgement = FigureChange::Judgement;

constexpr std::size_t kFigures = 8, kLines = 5, kDifferences = 6, kDiffLines = 16, kDetails = 3;

Style style_of(RegressVerdict verdict) {
  if (verdict <= RegressVerdict::regressed) return Style::bad;
  if (verdict <= RegressVerdict::not_comparable) return Style::warning;
  return verdict == RegressVerdict::improved ? Style::good : Style::plain;
}

std::string amount(double value) {
  return value == static_cast<double>(static_cast<std::int64_t>(value)) ? grouped(static_cast<std::int64_t>(value))
                                                                        : fmt::format("{:.4g}", value);
}

/// `width` 0: as wide as it is.
std::string fitted(std::string_view text, int width) {
  return width > 0 ? shortened(text, width) : std::string(text);
}

/// What is left of `width` beside `used` columns, no fewer than `least`; 0 stays 0.
int room(int width, int used, int least) {
  return width > 0 ? std::max(least, width - used) : 0;
}

/// The first lines of a text, indented; how many more there are.
std::string head(const std::string& text, std::size_t most, int width) {
  std::istringstream lines(text);
  std::string result;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);)
    if (++count <= most) result += "    " + fitted(line, room(width, 4, 36)) + "\n";
  if (count > most) result += fmt::format("    ({} more lines)\n", count - most);
  return result;
}

std::string figures_text(const std::vector<FigureChange>& changes, bool color, int width) {
  std::string text = text_table(change_table(changes, kFigures), color, 2, width);
  if (changes.size() > kFigures) text += fmt::format("  ({} more)\n", changes.size() - kFigures);
  return text;
}

}  // namespace

std::string regress_label(const RegressRow& row) {
  return row.title.empty() ? row.key : fmt::format("{} {}", row.title, row.variant);
}

std::string time_text(const TimeRatio& time) {
  return fmt::format("{} -> {} us, {:+.2f} % [{:+.2f}, {:+.2f}], {} processes, would have seen {:.1f} %",
                     format_us(time.base_us), format_us(time.today_us), 100 * (time.ratio - 1), 100 * (time.low - 1),
                     100 * (time.high - 1), time.processes, 100 * time.sure);
}

std::string power_text(const RegressRow& row) {
  return row.time ? fmt::format("{:.1f} %", 100 * row.time->sure) : "-";
}

std::string power_summary(const RegressReport& report) {
  std::vector<const RegressRow*> timed;
  for (const RegressRow& row : report.rows)
    if (row.time) timed.push_back(&row);
  if (timed.empty()) return "";
  const auto worst = std::ranges::max_element(timed, {}, [](const RegressRow* row) { return row->time->sure; });
  return fmt::format("a slow-down of {:.1f} % would have been seen 99 times of 100{}", 100 * (*worst)->time->sure,
                     timed.size() > 1 ? fmt::format(", of {} and of less in all others", regress_label(**worst)) : "");
}

std::vector<std::string> change_cells(const FigureChange& change) {
  const bool told = change.judgement == Judgement::untold;
  const std::string growth =
      change.before == 0 ? "new" : fmt::format("{:+.3g} %", 100 * (change.after / change.before - 1));
  return {change.name, amount(change.before), amount(change.after), growth,
          told ? "-" : fmt::format("{:g} %", 100 * change.margin)};
}

Table change_table(const std::vector<FigureChange>& changes, std::size_t most) {
  Table table{{{"figure"},
               {"baseline", Align::right},
               {"today", Align::right},
               {"change", Align::right},
               {"margin", Align::right}},
              {}};
  for (const FigureChange& change : changes)
    if (table.rows.size() < most) table.rows.push_back(change_cells(change));
  return table;
}

std::string regress_counts(const RegressReport& report) {
  std::map<RegressVerdict, int> counts;
  for (const RegressRow& row : report.rows) ++counts[row.verdict];
  std::vector<std::string> texts;
  for (const auto& [verdict, count] : counts) {
    std::string word(name(verdict));
    std::ranges::replace(word, '_', ' ');
    texts.push_back(fmt::format("{} {}", count, word));
  }
  return fmt::format("{} kernel{}: {}", report.rows.size(), report.rows.size() == 1 ? "" : "s", fmt::join(texts, ", "));
}

std::string regress_detail(const RegressRow& row, const std::string& repeat, int width, bool color) {
  std::string text = fmt::format("\n{}  {}\n", styled(row.key, Style::bold, color),
                                 styled(std::string(name(row.verdict)), style_of(row.verdict), color));
  if (!row.why.empty()) text += head(row.why, kDiffLines, width);
  if (row.time) text += "  time " + time_text(*row.time) + "\n";
  if (row.time && row.time->toolchain_ratio)
    text += fmt::format("  the old source compiled today takes {:.3f} of what its recorded image takes\n",
                        *row.time->toolchain_ratio);
  if (!row.changes.empty()) text += figures_text(row.changes, color, width);
  for (const std::string& note : row.notes) text += fmt::format("  note: {}\n", note);
  for (std::size_t i = 0; i < std::min(row.differences.size(), kDifferences); ++i)
    text += fmt::format("  {}\n", fitted(row.differences[i], room(width, 2, 36)));
  if (!row.lines.empty()) {
    text += "  lines that changed most, in warp instructions\n";
    for (std::size_t i = 0; i < std::min(row.lines.size(), kLines); ++i) {
      const LineChange& line = row.lines[i];
      text +=
          "    " +
          fitted(fmt::format("{}  {} -> {}  {}", line.place, grouped(line.before), grouped(line.after), line.source),
                 room(width, 4, 36)) +
          "\n";
    }
  }
  if (!row.source_diff.empty())
    text += fmt::format("  source, from {}:{}\n", row.file, row.line) + head(row.source_diff, kDiffLines, width);
  if (!row.reproduce.empty()) text += fmt::format("  again: {}\n", row.reproduce);
  if (row.verdict == RegressVerdict::regressed)
    text += fmt::format("  planned? kerlab regress accept {} --why \"...\"{}\n", row.key, repeat);
  return text;
}

std::string regress_text(const RegressReport& report, const std::string& repeat, bool all, int width, bool color) {
  std::string text = fmt::format("{}  {}  {}\n", styled("regress " + report.name, Style::bold, color), report.device,
                                 report.toolchain);
  const bool timed = std::ranges::any_of(report.rows, [](const RegressRow& row) { return row.time.has_value(); });
  Table table{{{"verdict"}, {"kernel", Align::left, true}, {"err/bound", Align::right}}, {}};
  if (timed) table.columns.push_back({"would have seen", Align::right});
  table.columns.push_back({"why", Align::left, true});
  std::size_t details = 0, hidden = 0;
  for (const RegressRow& row : report.rows) {
    const bool quiet = row.verdict >= RegressVerdict::passed && row.notes.empty();
    if (quiet && !all) {
      ++hidden;
      continue;
    }
    std::string why = row.why.empty() && !row.notes.empty() ? row.notes.front() : row.why;
    why = why.substr(0, why.find('\n'));
    table.rows.push_back({std::string(name(row.verdict)), regress_label(row),
                          row.error_ratio > 0 ? fmt::format("{:.2f}", row.error_ratio) : "-"});
    if (timed) table.rows.back().push_back(power_text(row));
    table.rows.back().push_back(why);
  }
  if (!table.rows.empty()) text += text_table(table, color, 2, width);
  for (const RegressRow& row : report.rows)
    if (row.verdict <= RegressVerdict::regressed && details++ < kDetails)
      text += regress_detail(row, repeat, width, color);
  if (details > kDetails)
    text += fmt::format("\n{} more fail; each alone: kerlab regress --only KEY{}\n", details - kDetails, repeat);
  for (const std::string& note : report.notes) text += note + "\n";
  if (const std::string power = power_summary(report); !power.empty()) text += power + "\n";
  text += fmt::format("{}   {}{}\n", regress_counts(report), format_seconds(report.seconds),
                      report.interrupted ? "   (interrupted)" : "");
  static_cast<void>(hidden);
  return text;
}

std::string history_text(const std::vector<RegressRun>& runs, int width, bool color) {
  Table table{{{"when"},
               {"verdict"},
               {"key", Align::left, true},
               {"time", Align::right},
               {"err/bound", Align::right},
               {"toolchain"},
               {"why", Align::left, true}},
              {}};
  for (const RegressRun& run : runs)
    table.rows.push_back({run.created.substr(0, 16), run.verdict, run.key,
                          run.ratio > 0 ? fmt::format("{:+.2f} %", 100 * (run.ratio - 1)) : "-",
                          fmt::format("{:.3f}", run.error_ratio), run.toolchain,
                          run.why.substr(0, run.why.find('\n'))});
  return text_table(table, color, 0, width);
}

}  // namespace kerlab::report
