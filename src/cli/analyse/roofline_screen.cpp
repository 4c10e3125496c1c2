#include "cli/analyse/roofline_screen.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/terminal.h"
#include "report/form/label_layout.h"
#include "report/form/table.h"
#include "report/picture/roofline_plot.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

namespace {

constexpr int kWideTable = 100, kWidestTable = 140;  // columns from which on a table says more
constexpr int kWidestPlot = 120;

const Ceilings& best_known(const ProblemRoofline& problem) {
  return problem.measured ? *problem.measured : problem.theoretical;
}

/// The part of the roof that the problem is below.
std::string roof_name(const ProblemRoofline& problem, const Roofline& roof) {
  return roof.memory_bound ? "memory" : problem.theoretical.unit;
}

bool is_shipped(const RooflinePoint& point) {
  return !point.shipped.empty();
}

std::string paragraph(const std::string& text, int width) {
  std::string lines;
  for (const std::string& line : wrapped(text, width)) lines += line + "\n";
  return lines;
}

/// What counts below its roof: "3.74 TB/s", "790.4 TFLOP/s".
std::string rate_text(const ProblemRoofline& problem, double us) {
  if (us <= 0) return "-";
  return problem.roof.memory_bound ? format_si(problem.bytes / us * 1e6, "B/s")
                                   : format_si(problem.flops / us * 1e6, "FLOP/s");
}

PlotSize plot_size(const RooflineScreen& screen) {
  PlotSize size;
  size.width = std::min(screen.width, kWidestPlot);
  size.height = std::clamp(size.width / 5, 14, 22);
  size.unicode = screen.unicode;
  return size;
}

// --- one problem

std::vector<std::string> ceiling_row(const ProblemRoofline& problem, const Ceilings& ceilings, const Roofline& roof) {
  return {ceilings.source(),
          format_si(ceilings.bytes_per_s, "B/s"),
          format_si(ceilings.flops_per_s, "FLOP/s"),
          fmt::format("{:.1f}", roof.ridge),
          roof_name(problem, roof),
          format_us(roof.minimum_us)};
}

std::string ceilings_text(const ProblemRoofline& problem, const RooflineScreen& screen) {
  Table table{{{"ceilings"},
               {fmt::format("memory ({})", problem.bandwidth), Align::right},
               {problem.theoretical.unit, Align::right},
               {"ridge", Align::right},
               {"roof by"},
               {"us at best", Align::right}},
              {ceiling_row(problem, problem.theoretical, problem.roof)}};
  if (problem.measured) table.rows.push_back(ceiling_row(problem, *problem.measured, *problem.measured_roof));
  return text_table(table, screen.color, 2, screen.width);
}

std::string mark_of(const RooflinePoint& point) {
  return point.winner ? "*" : is_shipped(point) ? "S" : "o";
}

/// The table of one origin.
class Points {
 public:
  Points(const ProblemRoofline& problem, const RooflineScreen& screen) : problem_(problem), screen_(screen) {
    table_.columns = {{""}, {"us [95 %]"}, {"reached", Align::right}, {"% of roofline", Align::right}};
    if (problem.measured)
      table_.columns.push_back({fmt::format("% of {}", name(*problem.measured->clock)), Align::right});
    table_.columns.push_back({"trial", Align::right});
    table_.columns.push_back({"kernel"});
  }

  void add(const std::string& mark, double us, double low, double high, std::int64_t trial, const std::string& who) {
    std::vector<std::string> row{mark, median_with_interval(us, low, high), rate_text(problem_, us),
                                 percent(problem_.roof.minimum_us / us)};
    if (problem_.measured_roof) row.push_back(percent(problem_.measured_roof->minimum_us / us));
    row.push_back(trial > 0 ? fmt::format("{}", trial) : "-");
    row.push_back(who);
    table_.rows.push_back(std::move(row));
  }

  [[nodiscard]] bool empty() const { return table_.rows.empty(); }

  [[nodiscard]] std::string text(const std::string& heading) const {
    return styled(heading, Style::bold, screen_.color) + "\n" + text_table(table_, screen_.color, 2, screen_.width);
  }

 private:
  static std::string percent(double fraction) { return fmt::format("{:.1f}", 100 * fraction); }

  const ProblemRoofline& problem_;
  const RooflineScreen& screen_;
  Table table_;
};

std::string stored_heading(const RooflineReport& report) {
  const std::string where = fmt::format("stored, {} {}", report.device.id, report.device.name);
  return report.measured.clock == ClockKind::measured
             ? where + ", measured"
             : fmt::format("{}, {}: not times of a GPU", where, name(report.measured.clock));
}

std::string points_text(const ProblemRoofline& problem, const RooflineReport& report, const RooflineScreen& screen) {
  Points stored(problem, screen), shipped(problem, screen);
  std::string origin;
  for (const RooflinePoint& point : problem.points) {
    const Measurement& m = point.measurement;
    if (m.median_us <= 0) continue;
    (is_shipped(point) ? shipped : stored)
        .add(mark_of(point), m.median_us, m.low_us, m.high_us, point.trial.id, variant_text(point.trial));
    if (is_shipped(point)) origin = point.shipped;
  }
  for (const LibraryTime& time : problem.library)
    stored.add("L", time.median_us, time.low_us, time.high_us, 0, time.label);
  std::string text;
  if (!stored.empty()) text += stored.text(stored_heading(report)) + "\n";
  if (!shipped.empty()) text += shipped.text(fmt::format("shipped, measured on {}", origin)) + "\n";
  for (const RooflinePoint& point : problem.points)
    if (!point.trial.configuration.empty() && (point.winner || is_shipped(point)))
      text += paragraph(fmt::format("{} {}", mark_of(point), label_text(point.trial)), screen.width);
  return text;
}

std::string plot_of(const ProblemRoofline& problem, const RooflineScreen& screen) {
  std::vector<PlotPoint> points;
  for (const LibraryTime& time : problem.library)
    points.push_back({"L", problem.roof.intensity, problem.flops / time.median_us * 1e6, time.label});
  // The winner last: it stands where it belongs where marks meet.
  for (auto point = problem.points.rbegin(); point != problem.points.rend(); ++point) {
    if (point->flops_per_s <= 0) continue;
    points.push_back({mark_of(*point), problem.roof.intensity, point->flops_per_s,
                      variant_text(point->trial) + (is_shipped(*point) ? " (shipped)" : "")});
  }
  return roofline_plot(best_known(problem), points, plot_size(screen));
}

// --- all winners

/// Winners of one origin, numbered on.
struct Origin {
  std::string heading;
  bool shipped = false;
  std::vector<std::size_t> members;  ///< of the report's problems
};

std::vector<Origin> origins_of(const RooflineReport& report) {
  std::vector<Origin> origins;
  const auto add = [&](const std::string& heading, bool shipped, std::size_t problem) {
    const auto at = std::ranges::find(origins, heading, &Origin::heading);
    if (at != origins.end()) return at->members.push_back(problem);
    origins.push_back({heading, shipped, {problem}});
  };
  for (std::size_t i = 0; i < report.problems.size(); ++i) {
    const RooflinePoint& winner = report.problems[i].points.front();
    if (!is_shipped(winner)) add("winners " + stored_heading(report), false, i);
  }
  for (std::size_t i = 0; i < report.problems.size(); ++i) {
    const RooflinePoint& winner = report.problems[i].points.front();
    const std::string where = winner.shipped.substr(0, winner.shipped.find(','));
    if (is_shipped(winner)) add(fmt::format("shipped winners, measured on {}", where), true, i);
  }
  return origins;
}

std::string number_of(std::size_t index) {
  return fmt::format("{}", index + 1);
}

std::string winners_table(const RooflineReport& report, const std::vector<std::size_t>& members, std::size_t first,
                          const RooflineScreen& screen) {
  Table table{{{"", Align::right},
               {"problem"},
               {"bottleneck"},
               {"us", Align::right},
               {"reached", Align::right},
               {"% roof", Align::right}},
              {}};
  const bool wide = screen.width >= kWideTable, widest = screen.width >= kWidestTable;
  if (widest) table.columns.insert(table.columns.begin() + 2, {"FLOP/byte", Align::right});
  if (wide) table.columns.push_back({"kernel"});
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ProblemRoofline& problem = report.problems[members[i]];
    const RooflinePoint& winner = problem.points.front();
    const double us = winner.measurement.median_us;
    std::vector<std::string> row{number_of(first + i),    problem.title,
                                 problem.bottleneck.name, format_us(us),
                                 rate_text(problem, us),  fmt::format("{:.1f}", 100 * winner.of_theoretical)};
    if (widest) row.insert(row.begin() + 2, fmt::format("{:.3g}", problem.roof.intensity));
    if (wide) row.push_back(variant_text(winner.trial));
    table.rows.push_back(std::move(row));
  }
  return text_table(table, screen.color, 0, screen.width);
}

/// One plot for every pair of ceilings: problems of one dtype and kind of traffic.
std::string winners_plots(const RooflineReport& report, const std::vector<std::size_t>& members, std::size_t first,
                          const RooflineScreen& screen) {
  std::map<std::pair<double, double>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ProblemRoofline& problem = report.problems[members[i]];
    const Ceilings& ceilings = best_known(problem);
    if (problem.flops > 0) groups[{ceilings.flops_per_s, ceilings.bytes_per_s}].push_back(i);
  }
  std::string text;
  for (const auto& [ceilings, group] : groups) {
    std::vector<PlotPoint> points;
    for (const std::size_t i : group) {
      const ProblemRoofline& problem = report.problems[members[i]];
      points.push_back({number_of(first + i), problem.roof.intensity, problem.points.front().flops_per_s, ""});
    }
    text += "\n" + roofline_plot(best_known(report.problems[members[group.front()]]), points, plot_size(screen));
  }
  return text;
}

}  // namespace

std::string problem_text(const ProblemRoofline& problem, const RooflineReport& report, const RooflineScreen& screen) {
  std::string text = styled(problem.title, Style::bold, screen.color) + "\n";
  text +=
      paragraph(fmt::format("bottleneck of the problem: {}: {}", problem.bottleneck.name, problem.bottleneck.reason),
                screen.width);
  text += paragraph("suggestion: " + problem.bottleneck.suggestion, screen.width);
  text += fmt::format("{}, at least {} of memory traffic: {:.3g} FLOP/byte\n\n", format_si(problem.flops, "FLOP"),
                      format_si(problem.bytes, "B"), problem.roof.intensity);
  text += ceilings_text(problem, screen) + "\n";
  if (!problem.points.empty()) text += points_text(problem, report, screen) + "\n";
  return text + plot_of(problem, screen) + "\n" + paragraph(problem.sentence, screen.width);
}

std::string winners_text(const RooflineReport& report, const RooflineScreen& screen) {
  const std::vector<Origin> origins = origins_of(report);
  const bool stored = !origins.empty() && !origins.front().shipped;
  std::string text;
  if (!stored)
    text += fmt::format("no stored winner for {} {}: kerlab tune FAMILY\n{}", report.device.id, report.device.name,
                        origins.empty() ? "" : "\n");
  std::size_t first = 0;
  for (const Origin& origin : origins) {
    text += fmt::format("{}{}\n", first == 0 ? "" : "\n", styled(origin.heading, Style::bold, screen.color));
    text += winners_table(report, origin.members, first, screen) + winners_plots(report, origin.members, first, screen);
    first += origin.members.size();
  }
  return text;
}

}  // namespace kerlab::cli
