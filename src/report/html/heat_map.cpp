#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "base/format.h"
#include "report/form/clock_words.h"
#include "report/html/figures.h"
#include "report/picture/plot.h"

namespace kerlab::report {

namespace {

constexpr double kWidth = 470, kLeft = 64, kTop = 40, kMostCell = 64, kCellHeight = 30, kRight = 12;
constexpr std::size_t kMostParameters = 3, kMostValues = 16;
constexpr std::ptrdiff_t kFewestTrials = 30;  // fewer say nothing of pairs of values
// Upper ends of the shades, as multiples of the best: rows.js has the same.
constexpr double kShades[] = {1.01, 1.05, 1.15, 1.4, 2, 4};
constexpr const char* kShadeNames[] = {"1.01", "1.05", "1.15", "1.4", "2", "4", "more"};

struct Values {
  std::string name;
  std::vector<std::int64_t> values;  ///< ascending
};

/// The value of a parameter in "BM=128 BN=64".
std::optional<std::int64_t> value_of(const std::string& configuration, const std::string& parameter) {
  std::istringstream words(configuration);
  for (std::string word; words >> word;) {
    if (word.size() <= parameter.size() || word[parameter.size()] != '=' || !word.starts_with(parameter)) continue;
    std::int64_t value = 0;
    const char* end = word.data() + word.size();
    if (std::from_chars(word.data() + parameter.size() + 1, end, value).ptr == end) return value;
  }
  return std::nullopt;
}

/// What the search saw: the same yardstick for all cells.
bool takes_part(const ReportProblem& problem, const ReportTrial& one) {
  return one.trial.variant == problem.searched && one.trial.status == TrialStatus::passed && one.screen_us > 0;
}

std::vector<Values> most_important(const ReportProblem& problem) {
  std::vector<Values> chosen;
  for (const auto& [name, share] : problem.importance) {
    std::set<std::int64_t> values;
    for (const ReportTrial& one : problem.trials)
      if (takes_part(problem, one))
        if (const auto value = value_of(one.trial.configuration, name)) values.insert(*value);
    if (values.size() < 2 || values.size() > kMostValues) continue;
    chosen.push_back({name, {values.begin(), values.end()}});
    if (chosen.size() == kMostParameters) break;
  }
  return chosen;
}

int shade(double ratio) {
  return static_cast<int>(std::upper_bound(std::begin(kShades), std::end(kShades), ratio * (1 - 1e-9)) -
                          std::begin(kShades));
}

struct Cell {
  std::vector<std::size_t> rows;
  double best = 0;
};

std::string cell_svg(const Cell& cell, double best, double x, double y, double width) {
  if (cell.rows.empty()) return svg_rect(x, y, width, kCellHeight, "cell none");
  const double ratio = cell.best / best;
  const int level = shade(ratio);
  const std::string text = width < 30 ? "" : fmt::format("{:.2f}", ratio);
  return fmt::format("<g data-cell=\"{}\">", index_list(cell.rows)) +
         svg_rect(x, y, width, kCellHeight, fmt::format("cell h{}", level)) +
         svg_text(x + width / 2, y + kCellHeight / 2 + 4, text, fmt::format("t{}", level), "middle") + "</g>\n";
}

std::string legend(double y) {
  std::string text = svg_text(kLeft, y + 11, "times the best:", "dim");
  double x = kLeft + 92;
  for (std::size_t i = 0; i < std::size(kShadeNames); ++i) {
    text += svg_rect(x, y + 1, 12, 12, fmt::format("cell h{}", i));
    text += svg_text(x + 15, y + 11, kShadeNames[i], "dim small");
    x += 22 + 6.4 * static_cast<double>(std::string_view(kShadeNames[i]).size());
  }
  return text;
}

ReportFigure heat_map(const ReportPart& part, const Values& across, const Values& down, std::size_t number) {
  const ReportProblem& problem = part.problem;
  std::map<std::pair<std::int64_t, std::int64_t>, Cell> cells;
  double best = 0;
  for (std::size_t i = 0; i < problem.trials.size(); ++i) {
    const ReportTrial& one = problem.trials[i];
    if (!takes_part(problem, one)) continue;
    const auto x = value_of(one.trial.configuration, across.name), y = value_of(one.trial.configuration, down.name);
    if (!x || !y) continue;
    Cell& cell = cells[{*x, *y}];
    cell.rows.push_back(part.first_row + i);
    if (cell.best == 0 || one.screen_us < cell.best) cell.best = one.screen_us;
    if (best == 0 || one.screen_us < best) best = one.screen_us;
  }
  const auto columns = static_cast<double>(across.values.size()), lines = static_cast<double>(down.values.size());
  const double width = std::min(kMostCell, (kWidth - kLeft - kRight) / columns), bottom = kTop + kCellHeight * lines;
  ReportFigure figure{
      fmt::format("heat-{}{}", number, part.suffix),
      fmt::format("{} and {}", across.name, down.name),
      fmt::format("Best time of {} for each pair of values of {} and {}, as a multiple of the best of all.",
                  problem.searched, across.name, down.name),
      fmt::format("{}: best time of each pair over the best of all ({} us{})", problem.searched, format_us(best),
                  unless_measured(problem.clock, ", ")),
      kWidth,
      bottom + 74,
      "",
      {{{fmt::format("{} \\ {}", down.name, across.name)}}, {}}};
  figure.body = svg_text(4, kTop - 14, down.name, "ink");
  for (std::size_t c = 0; c < across.values.size(); ++c) {
    figure.body += svg_text(kLeft + width * (static_cast<double>(c) + 0.5), bottom + 17,
                            tick_text(static_cast<double>(across.values[c])), "dim", "middle");
    figure.table.columns.push_back({fmt::format("{}", across.values[c]), Align::right});
  }
  figure.body += svg_text(kLeft + width * columns / 2, bottom + 35, across.name, "ink", "middle");
  for (std::size_t l = 0; l < down.values.size(); ++l) {  // the largest value on top, as on an axis
    const double y = bottom - kCellHeight * static_cast<double>(l + 1);
    figure.body +=
        svg_text(kLeft - 8, y + kCellHeight / 2 + 4, tick_text(static_cast<double>(down.values[l])), "dim", "end");
    auto& row = figure.table.rows.emplace_back();
    row.push_back(fmt::format("{}", down.values[l]));
    for (std::size_t c = 0; c < across.values.size(); ++c) {
      const Cell& cell = cells[{across.values[c], down.values[l]}];
      figure.body += cell_svg(cell, best, kLeft + width * static_cast<double>(c), y, width);
      row.push_back(cell.rows.empty() ? "-" : format_us(cell.best));
    }
  }
  figure.body += legend(bottom + 50);
  return figure;
}

}  // namespace

std::vector<ReportFigure> heat_maps(const ReportPart& part) {
  const std::vector<Values> parameters = most_important(part.problem);
  std::vector<ReportFigure> figures;
  if (std::ranges::count_if(part.problem.trials, [&](const auto& one) { return takes_part(part.problem, one); }) <
      kFewestTrials)
    return figures;
  for (std::size_t a = 0; a < parameters.size(); ++a)
    for (std::size_t b = a + 1; b < parameters.size(); ++b)
      figures.push_back(heat_map(part, parameters[a], parameters[b], figures.size() + 1));
  return figures;
}

}  // namespace kerlab::report
