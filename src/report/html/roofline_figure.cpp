#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/format.h"
#include "report/html/figures.h"
#include "report/picture/roofline_svg.h"
#include "report/text/tune_table.h"

namespace kerlab::report {

namespace {

constexpr double kSpread = 26;  // pixels: trials of one problem side by side
constexpr std::size_t kMostNamed = 12;

std::string pipe_label(const ReportProblem& problem) {
  return fmt::format("{} {}", problem.dtype, problem.pipe);
}

/// Ceilings of several problems: every pipe once, the memory as its largest.
void add_ceilings(RooflineDrawing& drawing, const ReportProblem& problem) {
  const double peak = problem.measured ? problem.measured->flops_per_s : 0;
  const double bandwidth = problem.measured ? problem.measured->bytes_per_s : 0;
  const bool peak_known = problem.measured && problem.measured->measured_peak;
  if (drawing.memories.empty())
    drawing.memories.push_back({"memory", problem.theoretical->bytes_per_s, 0, "memory " + problem.bandwidth});
  drawing.memories.front().measured = std::max(drawing.memories.front().measured, bandwidth);
  const SvgCeiling pipe{pipe_label(problem), problem.theoretical->flops_per_s, peak_known ? peak : 0, ""};
  for (SvgCeiling& known : drawing.pipes) {
    if (known.label == pipe.label) return;
    if (known.theoretical != pipe.theoretical) continue;
    const std::string listed = ", " + known.label;
    if (listed.find(", " + problem.dtype + ", ") != std::string::npos || listed.ends_with(", " + pipe.label)) return;
    known.label = fmt::format("{}, {}", problem.dtype, known.label);
    known.measured = std::max(known.measured, pipe.measured);
    return;
  }
  drawing.pipes.push_back(pipe);
}

std::string shares(const ReportProblem& problem, double us) {
  const double of_roof = problem.theoretical->minimum_us / us;
  return fmt::format("{}, {:.{}f} %", format_si(problem.flops / us * 1e6, "FLOP/s"), 100 * of_roof,
                     of_roof < 0.0995 ? 1 : 0);
}

/// The winner, the best of each other variant, the library: by name.
void add_named(RooflineDrawing& drawing, const ReportProblem& problem) {
  std::map<std::string, const ReportTrial*> best;
  for (const ReportTrial& one : problem.trials) {
    if (!one.time || one.trial.status != TrialStatus::passed) continue;
    const ReportTrial*& known = best[one.trial.variant];
    if (known == nullptr || one.winner || (!known->winner && one.time->median_us < known->time->median_us))
      known = &one;
  }
  std::vector<const ReportTrial*> named;
  for (const auto& [variant, one] : best) named.push_back(one);
  std::sort(named.begin(), named.end(), [](const ReportTrial* a, const ReportTrial* b) {
    return std::pair(!a->winner, a->time->median_us) < std::pair(!b->winner, b->time->median_us);
  });
  if (named.size() > kMostNamed) named.resize(kMostNamed);
  for (const ReportTrial* one : named)
    drawing.points.push_back({one->winner ? SvgPoint::Kind::winner : SvgPoint::Kind::other, variant_text(one->trial),
                              shares(problem, one->time->median_us), problem.intensity, one->flops_per_s});
  for (const LibraryTime& time : problem.library)
    drawing.points.push_back({SvgPoint::Kind::library, shortened(time.label.substr(0, time.label.find(',')), 24),
                              shares(problem, time.median_us), problem.intensity,
                              problem.flops / time.median_us * 1e6});
}

Table points_table(const RooflineDrawing& drawing) {
  Table table{{{"what"}, {"FLOP/byte", Align::right}, {"FLOP/s, % of roof", Align::right}}, {}};
  for (const SvgCeiling& memory : drawing.memories)
    table.rows.push_back({memory.label + ", data sheet", "", format_si(memory.theoretical, "B/s")});
  for (const SvgCeiling& pipe : drawing.pipes)
    table.rows.push_back({pipe.label + ", data sheet", "", format_si(pipe.theoretical, "FLOP/s")});
  for (const SvgPoint& point : drawing.points)
    table.rows.push_back({point.label, fmt::format("{:.4g}", point.intensity), point.value});
  return table;
}

}  // namespace

ReportFigure roofline_figure(const ReportPart& part) {
  const ReportProblem& problem = part.problem;
  ReportFigure figure{"roofline" + part.suffix, "Roofline: " + problem.title, problem.sentence, "", 0, 0, "", {}};
  if (!problem.theoretical || problem.flops <= 0) return figure;
  RooflineDrawing drawing;
  drawing.measured = name(problem.clock);
  add_ceilings(drawing, problem);
  add_named(drawing, problem);
  SvgCloud rest{"rest", {}, kSpread}, own{"own", {}, kSpread};
  for (std::size_t i = 0; i < problem.trials.size(); ++i) {
    const ReportTrial& one = problem.trials[i];
    if (!one.time || one.trial.status != TrialStatus::passed) continue;
    (one.trial.variant == problem.searched ? own : rest)
        .dots.push_back({part.first_row + i, problem.intensity, one.flops_per_s});
  }
  figure.caption = fmt::format(
      "Every trial that passed, spread sideways so that they can be told apart; filled: the variant {}. Times are {}.",
      problem.searched, name(problem.clock));
  figure.table = points_table(drawing);
  drawing.clouds = {std::move(rest), std::move(own)};
  return with_roofline(std::move(figure), drawing);
}

ReportFigure rooflines_figure(const std::vector<ReportPart>& parts, const std::string& id, double width) {
  ReportFigure figure{id, "Roofline", "Every trial that passed, by arithmetic intensity and rate; winners are large.",
                      "", 0,          0,
                      "", {}};
  RooflineDrawing drawing;
  SvgCloud rest{"rest", {}, 8}, own{"own", {}, 8}, chosen{"chosen", {}, 0};
  Table table{{{"problem"}, {"FLOP/byte", Align::right}, {"FLOP/s", Align::right}, {"winner"}}, {}};
  for (const ReportPart& part : parts) {
    const ReportProblem& problem = part.problem;
    if (!problem.theoretical || problem.flops <= 0) continue;
    drawing.measured = name(problem.clock);
    add_ceilings(drawing, problem);
    for (std::size_t i = 0; i < problem.trials.size(); ++i) {
      const ReportTrial& one = problem.trials[i];
      if (!one.time || one.trial.status != TrialStatus::passed) continue;
      SvgCloud& cloud = one.winner ? chosen : one.trial.variant == problem.searched ? own : rest;
      cloud.dots.push_back({part.first_row + i, problem.intensity, one.flops_per_s});
      if (one.winner)
        table.rows.push_back({problem.title, fmt::format("{:.4g}", problem.intensity),
                              format_si(one.flops_per_s, "FLOP/s"), trial_label(one.trial)});
    }
  }
  figure.caption =
      fmt::format("Every trial that passed; large: winners, blue: of the winner's variant. {}; times are {}.",
                  parts.front().problem.device_class, drawing.measured);
  figure.table = std::move(table);
  drawing.clouds = {std::move(rest), std::move(own), std::move(chosen)};
  return with_roofline(std::move(figure), drawing, width);
}

}  // namespace kerlab::report
