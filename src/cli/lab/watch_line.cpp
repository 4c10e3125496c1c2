#include "cli/lab/watch_line.h"

#include <algorithm>
#include <sstream>

#include "base/format.h"
#include "base/terminal.h"
#include "report/form/table.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

namespace {

/// A part of the line. What has the lowest rank is left out first where there is no room; kAlways never.
struct Cell {
  std::string text;
  Style style = Style::plain;
  int rank = 0;
};
constexpr int kAlways = 100;
constexpr int kChanged = 15;  // a figure that has changed goes before one that has not
constexpr std::string_view kGap = "  ";

int width_of(const std::vector<Cell>& cells) {
  int width = 0;
  for (const Cell& cell : cells) width += display_width(cell.text) + (width > 0 ? static_cast<int>(kGap.size()) : 0);
  return width;
}

/// `flexible`: index of the cell that is shortened when nothing can be left out any more.
std::string fitted(std::vector<Cell> cells, std::size_t flexible, int width, bool color) {
  while (width_of(cells) > width) {
    const auto least = std::ranges::min_element(cells, {}, &Cell::rank);
    if (least->rank == kAlways) break;
    cells.erase(least);
  }
  if (const int over = width_of(cells) - width; over > 0 && flexible < cells.size())
    cells[flexible].text = shortened(cells[flexible].text, std::max(0, display_width(cells[flexible].text) - over));
  std::string line;
  for (const Cell& cell : cells) line += (line.empty() ? "" : std::string(kGap)) + styled(cell.text, cell.style, color);
  return line;
}

/// Words of a text in lines of at most `width` columns, indented.
std::vector<std::string> wrapped_lines(const std::string& text, int width) {
  constexpr std::string_view kIndent = "      ";
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool fits = !lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width;
    if (fits)
      lines.back() += " " + word;
    else
      lines.push_back(std::string(kIndent) + word);
  }
  return lines;
}

std::string number_text(std::int64_t save) {
  return save > 0 ? fmt::format("save {}", save) : "not kept";
}

/// "-6.2 % [-6.9,-5.4] vs last": slower is bad, faster good, where it is certain.
Cell beside_cell(const Beside& beside, const std::string& what, int rank) {
  const Style style = beside.high < 1 ? Style::good : beside.low > 1 ? Style::bad : Style::plain;
  return {change_text(beside) + " vs " + what, style, rank};
}

void add_beside(std::vector<Cell>& cells, const Attempt& now) {
  const auto find = [&](std::string_view what) { return std::ranges::find(now.beside, what, &Beside::what); };
  const auto last = find("last"), best = find("best"), none = now.beside.end();
  const bool same =
      last != none && best != none && (last->number == best->number || change_text(*last) == change_text(*best));
  if (last != none) cells.push_back(beside_cell(*last, same ? "last and best" : "last", 80));
  if (best != none && !same) cells.push_back(beside_cell(*best, "best", 70));
}

/// "regs 96 (+8)": more of it is worse, unless it is occupancy.
template <typename Number>
Cell figure(const std::string& title, Number now, const Number* before, const std::string& unit, bool more_is_worse,
            int rank) {
  std::string text = fmt::format("{} {}{}", title, now, unit);
  Style style = Style::plain;
  if (before != nullptr && *before != now) {
    text += fmt::format(" ({:+})", now - *before);
    style = (now > *before) == more_is_worse ? Style::warning : Style::good;
    rank += kChanged;
  }
  return {std::move(text), style, rank};
}

std::int64_t percent_of(double fraction) {
  return static_cast<std::int64_t>(100 * fraction + 0.5);
}

void add_figures(std::vector<Cell>& cells, const Attempt& now, const Attempt* before) {
  if (now.trial.registers <= 0) return;
  const bool known = before != nullptr && before->trial.registers > 0;
  cells.push_back(figure("regs", now.trial.registers, known ? &before->trial.registers : nullptr, "", true, 60));
  if (now.trial.spill_bytes > 0 || (known && before->trial.spill_bytes > 0))
    cells.push_back(
        figure("spill", now.trial.spill_bytes, known ? &before->trial.spill_bytes : nullptr, " B", true, 55));
  if (now.conflicts)
    cells.push_back(
        figure("conflicts", *now.conflicts, known && before->conflicts ? &*before->conflicts : nullptr, "", true, 40));
  if (!now.occupancy) return;
  const bool compares = known && before->occupancy;
  const std::int64_t fraction = percent_of(*now.occupancy), old = compares ? percent_of(*before->occupancy) : 0;
  cells.push_back(figure("occ", fraction, compares ? &old : nullptr, " %", false, 50));
}

Cell seconds_cell(double seconds) {
  return {fmt::format("{:.2f} s", seconds), Style::dim, 45};
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The failed recipe that tells most.
const RecipeReport* told(const CheckReport& report) {
  const RecipeReport* found = nullptr;
  for (const RecipeReport& recipe : report.recipes)
    if (!recipe.passed && (found == nullptr || (found->culprit.empty() && !recipe.culprit.empty()))) found = &recipe;
  return found;
}

std::string status_text(TrialStatus status) {
  if (status == TrialStatus::compile_error) return "does not compile";
  std::string text(name(status));
  std::ranges::replace(text, '_', ' ');
  return text;
}

/// What is wrong, in the order of interest: first what the line says, then what follows it.
std::vector<std::string> troubles(const Attempt& now) {
  if (!now.first_error.empty()) return {now.first_error};
  if (const RecipeReport* wrong = told(now.report)) {
    std::string where = wrong->output + wrong->detail;
    if (!wrong->first.empty()) {
      const Mismatch& first = wrong->first.front();
      where = fmt::format("{}{}: got {:.6g}, expected {:.6g} +- {:.1g}", wrong->output, first.place, first.got,
                          first.expected, first.tolerance);
    }
    std::string rest = fmt::format("{} of {} wrong{} (recipe {})", wrong->mismatches, wrong->compared,
                                   wrong->nans > 0 ? fmt::format(", {} NaN", wrong->nans) : "", wrong->recipe);
    for (const std::string& more : {wrong->pattern, wrong->culprit})
      if (!more.empty()) rest += "; " + more;
    return {where, rest};
  }
  return {now.trial.message};
}

/// The line, and below it what had no room in it.
std::vector<std::string> trouble_lines(const std::string& number, const std::string& what,
                                       const std::vector<std::string>& troubles, double seconds, int width,
                                       bool color) {
  const std::string first = first_line(troubles.front());
  std::vector<Cell> cells{{number, Style::bold, kAlways}, {what, Style::bad, kAlways}, {first, Style::plain, kAlways}};
  cells.push_back(seconds_cell(seconds));
  std::vector<std::string> lines{fitted(cells, 2, width, color)};
  const bool cut = width_of(cells) - width_of({cells.back()}) - static_cast<int>(kGap.size()) > width;
  for (std::size_t i = cut ? 0 : 1; i < troubles.size(); ++i)
    for (std::string& line : wrapped_lines(i == 0 ? first : troubles[i], width)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::string change_text(const Beside& beside) {
  const auto percent = [](double ratio) {
    const std::string text = fmt::format("{:+.1f}", 100 * (ratio - 1));
    return text == "-0.0" || text == "+0.0" ? std::string("0.0") : text;
  };
  std::string text = percent(beside.ratio) + " %";
  if (beside.low != beside.high) text += fmt::format(" [{},{}]", percent(beside.low), percent(beside.high));
  return text;
}

std::string time_text(const Measurement& m) {
  if (m.clock == ClockKind::modelled) return fmt::format("{} us modelled", format_us(m.median_us));
  const std::string text = median_with_interval(m.median_us, m.low_us, m.high_us);
  return text.substr(0, text.find(' ')) + " us" + text.substr(text.find(' '));
}

std::vector<std::string> watch_lines(const Attempt& now, const Attempt* before, double seconds, int width, bool color) {
  if (now.trial.status != TrialStatus::passed)
    return trouble_lines(number_text(now.save), status_text(now.trial.status), troubles(now), seconds, width, color);
  std::vector<Cell> cells{{number_text(now.save), Style::bold, kAlways}, {"correct", Style::good, kAlways}};
  if (now.measurement) cells.push_back({time_text(*now.measurement), Style::bold, kAlways});
  add_beside(cells, now);
  add_figures(cells, now, before);
  cells.push_back(seconds_cell(seconds));
  std::vector<std::string> lines{fitted(std::move(cells), now.measurement ? 2 : SIZE_MAX, width, color)};
  if (!now.warning.empty())
    for (std::string& line : wrapped_lines("warning: " + now.warning, width)) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> watch_lines(std::int64_t save, const std::string& why, double seconds, int width, bool color) {
  return trouble_lines(number_text(save), "not tried", {why}, seconds, width, color);
}

JsonValue watch_value(const Attempt& attempt, double seconds) {
  JsonValue::Array beside;
  for (const Beside& one : attempt.beside)
    beside.push_back(JsonValue::Object{{"what", one.what},
                                       {"number", one.number},
                                       {"us", one.us},
                                       {"ratio", one.ratio},
                                       {"ratio_low", one.low},
                                       {"ratio_high", one.high}});
  JsonValue::Array files;
  for (const KernelFile& file : attempt.files.own) files.emplace_back(file.name);
  JsonValue::Object worker{{"open", attempt.open_s},   {"prepare", attempt.prepare_s}, {"compile", attempt.compile_s},
                           {"check", attempt.check_s}, {"time", attempt.time_s},       {"store", attempt.store_s}};
  return json_document("watch", {{"number", attempt.number},
                                 {"save", attempt.save},
                                 {"problem", attempt.problem.key()},
                                 {"label", attempt.label},
                                 {"chosen", attempt.how},
                                 {"completion", attempt.completion},
                                 {"device", attempt.device},
                                 {"error", attempt.first_error},
                                 {"trial", to_value(attempt.trial)},
                                 {"measurement", attempt.measurement ? to_value(*attempt.measurement) : JsonValue()},
                                 {"warning", attempt.warning},
                                 {"beside", std::move(beside)},
                                 {"best", attempt.is_best},
                                 {"roof_us", attempt.roof_us},
                                 {"flops", attempt.flops},
                                 {"bytes", attempt.bytes},
                                 {"cost_from_data", attempt.cost_from_data},
                                 {"conflicts", attempt.conflicts},
                                 {"occupancy", attempt.occupancy},
                                 {"folder", attempt.files.folder.string()},
                                 {"files", std::move(files)},
                                 {"seconds", seconds},
                                 {"spent_s", std::move(worker)}});
}

JsonValue watch_value(std::int64_t save, const std::string& why, double seconds) {
  return json_document("watch", {{"save", save}, {"error", why}, {"trial", JsonValue()}, {"seconds", seconds}});
}

}  // namespace kerlab::cli
