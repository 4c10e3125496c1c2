#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/html/figures.h"
#include "report/picture/plot.h"

namespace kerlab::report {

namespace {

constexpr double kLeft = 130, kRight = 130, kTop = 10, kRow = 28;  // the right one is for numbers

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "; "));
}

Table failures_table(const ReportProblem& problem) {
  Table table{{{"trials", Align::right}, {"status"}, {"variant"}, {"cause"}, {"excluded by"}, {"see it again"}}, {}};
  for (const ReportFailure& failure : problem.failures)
    table.rows.push_back({fmt::format("{}", failure.trials), std::string(name(failure.first.status)),
                          failure.first.variant, failure.cause, joined(failure.excluded_by), failure.reproduce});
  return table;
}

}  // namespace

ReportFigure failures_figure(const ReportPart& part, double width) {
  const ReportProblem& problem = part.problem;
  std::map<TrialStatus, std::vector<std::size_t>> by_status;
  for (std::size_t i = 0; i < problem.trials.size(); ++i)
    by_status[problem.trials[i].trial.status].push_back(part.first_row + i);
  ReportFigure figure{"failures" + part.suffix,
                      "How trials ended",
                      fmt::format("{} trials by their status.", problem.trials.size()),
                      "",
                      width,
                      0,
                      "",
                      failures_table(problem)};
  std::vector<std::pair<TrialStatus, std::vector<std::size_t>>> rows(by_status.begin(), by_status.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first != TrialStatus::passed, -static_cast<double>(a.second.size())) <
           std::pair(b.first != TrialStatus::passed, -static_cast<double>(b.second.size()));
  });
  double most = 1;
  for (const auto& [status, indices] : rows) most = std::max(most, static_cast<double>(indices.size()));
  double y = kTop;
  for (const auto& [status, indices] : rows) {
    const double length = std::max(1.5, static_cast<double>(indices.size()) / most * (width - kLeft - kRight));
    figure.body += svg_text(kLeft - 12, y + 15, name(status), "ink", "end");
    figure.body += fmt::format("<g data-bar=\"{}\">", index_list(indices)) +
                   svg_rect(kLeft, y + 3, length, kRow - 10, status == TrialStatus::passed ? "bar" : "bar bad") +
                   svg_text(kLeft + length + 8, y + 16, fmt::format("{}", indices.size()), "dim") + "</g>\n";
    y += kRow;
  }
  figure.height = y + 8;
  return figure;
}

}  // namespace kerlab::report
