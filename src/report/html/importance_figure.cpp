#include <fmt/format.h>

#include "base/format.h"
#include "report/html/figures.h"
#include "report/picture/plot.h"

namespace kerlab::report {

namespace {

constexpr double kWidth = 470, kLeft = 150, kRight = 410, kTop = 14, kLine = 24;
constexpr std::size_t kMost = 12;

}  // namespace

ReportFigure importance_figure(const ReportPart& part) {
  const ReportProblem& problem = part.problem;
  ReportFigure figure{
      "importance" + part.suffix,
      "What matters",
      fmt::format("Share of the variance of log time of {} that each parameter explains alone.", problem.searched),
      fmt::format("{}: share of the variance of log(time) that each parameter explains alone, over all trials",
                  problem.searched),
      kWidth,
      0,
      "",
      {{{"parameter"}, {"share", Align::right}}, {}}};
  double y = kTop;
  const Scale x{0, 1, kLeft, kRight, false};
  for (const auto& [parameter, share] : problem.importance) {
    const std::string percent = format_share(share);
    figure.table.rows.push_back({parameter, percent});
    if (figure.table.rows.size() > kMost) continue;
    figure.body += svg_text(kLeft - 10, y + 14, parameter, "ink", "end");
    figure.body += svg_rect(kLeft, y + 3, std::max(1.0, x.pixel(share) - kLeft), kLine - 9, "bar");
    figure.body += svg_text(x.pixel(share) + 8, y + 14, percent, "dim");
    y += kLine;
  }
  figure.height = y + 10;
  if (problem.importance.empty() || problem.importance.front().second <= 0) figure.body.clear();
  return figure;
}

}  // namespace kerlab::report
