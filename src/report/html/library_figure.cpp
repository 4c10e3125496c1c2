#include <fmt/format.h>

#include <algorithm>

#include "report/html/figures.h"
#include "report/picture/plot.h"

namespace kerlab::report {

namespace {

constexpr double kWidth = 960, kLeft = 330, kRight = 936, kTop = 30, kRow = 22;

/// The library's best algorithm comes first.
const LibraryTime* compared(const ReportProblem& problem) {
  for (const LibraryTime& time : problem.library)
    if (time.ratio > 0 && problem.winner) return &time;
  return nullptr;
}

}  // namespace

ReportFigure library_figure(const std::vector<ReportPart>& parts) {
  ReportFigure figure{
      "library",
      "Against the vendor's library",
      "For each problem the library's time over the winner's, with its 95 % interval; right of 1 ours is faster.",
      "The library's time over ours, paired, with its 95 % interval; right of 1 ours is faster.",
      kWidth,
      0,
      "",
      {{{"problem"}, {"library"}, {"ratio", Align::right}, {"95 %", Align::right}}, {}}};
  std::vector<double> values = {1};
  std::vector<const ReportPart*> rows;
  for (const ReportPart& part : parts) {
    const LibraryTime* time = compared(part.problem);
    if (time == nullptr) continue;
    rows.push_back(&part);
    values.insert(values.end(), {time->ratio_low, time->ratio_high});
    figure.table.rows.push_back({part.problem.title, time->label, fmt::format("{:.3f}", time->ratio),
                                 fmt::format("{:.3f} to {:.3f}", time->ratio_low, time->ratio_high)});
  }
  if (rows.size() < 2) return figure;
  const double bottom = kTop + kRow * static_cast<double>(rows.size());
  const Scale x = scale_for(values, kLeft, kRight, 4);
  figure.height = bottom + 46;
  figure.body = horizontal_axis(x, kTop, bottom, "library's time / ours") +
                svg_line(x.pixel(1), kTop, x.pixel(1), bottom, "bound") +
                svg_text(x.pixel(1) - 6, kTop - 8, "library faster", "dim small", "end") +
                svg_text(x.pixel(1) + 6, kTop - 8, "ours faster", "dim small");
  double y = kTop + kRow / 2;
  for (const ReportPart* part : rows) {
    const LibraryTime* time = compared(part->problem);
    const std::size_t row = part->first_row + *part->problem.winner;
    figure.body += svg_text(kLeft - 12, y + 4, shortened(part->problem.title, 52), "ink", "end");
    figure.body += svg_line(x.pixel(time->ratio_low), y, x.pixel(time->ratio_high), y, "interval");
    figure.body += dots("chosen", {{row, x.pixel(time->ratio), y}});
    y += kRow;
  }
  return figure;
}

}  // namespace kerlab::report
