#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "report/html/figures.h"
#include "report/picture/plot.h"
#include "report/text/tune_table.h"

namespace kerlab::report {

namespace {

constexpr double kLeast = 620;                            // narrower: the time stands below the label
constexpr double kLeft = 16, kTop = 8, kCharacter = 8.4;  // of capitals and digits in bold
constexpr std::size_t kMost = 10;

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double above = below + 1 < sorted.size() ? sorted[below + 1] : sorted[below];
  return sorted[below] + (place - static_cast<double>(below)) * (above - sorted[below]);
}

/// Samples far above the rest would squeeze the others: the axis ends at the last that is not.
std::vector<double> shown(const ReportProblem& problem) {
  std::vector<double> values;
  for (const ReportFinalist& finalist : problem.finalists) {
    std::vector<double> sorted = finalist.measurement.samples_us;
    std::sort(sorted.begin(), sorted.end());
    values.push_back(finalist.measurement.low_us);
    values.push_back(finalist.measurement.high_us);
    if (sorted.empty()) continue;
    values.push_back(quantile(sorted, 0.02));
    values.push_back(quantile(sorted, 0.98));
  }
  for (const LibraryTime& time : problem.library) {
    values.push_back(time.low_us);
    values.push_back(time.high_us);
  }
  return values;
}

std::string summary_marks(const Scale& x, double y, double median, double low, double high, const char* style) {
  const double left = x.pixel(low), right = std::max(x.pixel(high), left + 2);
  return svg_line(left, y, right, y, style) + svg_line(x.pixel(median), y - 11, x.pixel(median), y + 11, "median");
}

/// Of a row of finalists or libraries.
struct Lines {
  bool two;                      ///< label and time below each other
  double right, height, middle;  ///< of the row, in pixels; where its samples are
  [[nodiscard]] std::string label(double top, const std::string& name, const std::string& time,
                                  const char* style) const {
    const double room = right - kLeft - (two ? 0 : kCharacter * static_cast<double>(time.size()) + 16);
    return svg_text(kLeft, top + 16, shortened(name, static_cast<int>(room / kCharacter)), style) +
           (two ? svg_text(kLeft, top + 33, time, "dim") : svg_text(right, top + 16, time, "dim", "end"));
  }
};

std::string row_svg(const Scale& x, double top, const Lines& lines, const ReportTrial& one,
                    const ReportFinalist& finalist, std::size_t row, std::size_t rank) {
  const Measurement& time = finalist.measurement;
  const double y = top + lines.middle;
  std::vector<double> sorted = time.samples_us;
  std::sort(sorted.begin(), sorted.end());
  const std::string place = one.winner ? "winner" : fmt::format("{}{}", rank, one.tied ? "=" : "");
  std::string body = lines.label(top, fmt::format("{}  {}", place, trial_label(one.trial)),
                                 median_with_interval(time) + " us", one.winner ? "strong" : "ink");
  if (sorted.size() >= 4) {
    const double left = x.pixel(quantile(sorted, 0.25)), right = x.pixel(quantile(sorted, 0.75));
    body += svg_rect(left, y - 9, std::max(1.0, right - left), 18, "box");
  }
  std::vector<Dot> marks;
  for (std::size_t i = 0; i < time.samples_us.size(); ++i)
    marks.push_back({row, x.pixel(time.samples_us[i]), y + 16 * jitter(i)});
  body += dots("sample", marks) + summary_marks(x, y, time.median_us, time.low_us, time.high_us, "interval");
  return fmt::format("<g data-row=\"{}\">\n{}</g>\n", row, body);
}

Table finalists_table(const ReportProblem& problem) {
  Table table{{{"configuration"},
               {time_heading(problem.clock), Align::right},
               {"25 %", Align::right},
               {"75 %", Align::right},
               {"least", Align::right},
               {"samples", Align::right}},
              {}};
  for (const ReportFinalist& finalist : problem.finalists) {
    std::vector<double> sorted = finalist.measurement.samples_us;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) { return sorted.empty() ? "-" : format_us(quantile(sorted, share)); };
    table.rows.push_back({trial_label(problem.trials[finalist.trial].trial), median_with_interval(finalist.measurement),
                          at(0.25), at(0.75), at(0), fmt::format("{}", sorted.size())});
  }
  for (const LibraryTime& time : problem.library) {
    Measurement as_time;
    as_time.clock = problem.clock;
    as_time.median_us = time.median_us;
    as_time.low_us = time.low_us;
    as_time.high_us = time.high_us;
    table.rows.push_back({time.label, median_with_interval(as_time), "-", "-", "-", "-"});
  }
  return table;
}

bool has_samples(const ReportProblem& problem) {
  return std::any_of(problem.finalists.begin(), problem.finalists.end(),
                     [](const ReportFinalist& finalist) { return finalist.measurement.samples_us.size() > 1; });
}

}  // namespace

ReportFigure finalists_figure(const ReportPart& part, double width) {
  const ReportProblem& problem = part.problem;
  ReportFigure figure{
      "finalists" + part.suffix,
      "Finalists, measured side by side",
      fmt::format("Samples of {} finalists with quartiles, median and its 95 % interval.", problem.finalists.size()),
      "Dots: samples; box: the middle half; line: the median; bar: its 95 % interval. Samples beyond the axis "
      "stand at its edge.",
      width,
      0,
      "",
      finalists_table(problem)};
  if (!has_samples(problem)) return figure;
  const std::size_t rows = std::min(kMost, problem.finalists.size());
  const bool two = width < kLeast;
  const Lines lines{two, width - 24, two ? 78.0 : 58.0, two ? 57.0 : 38.0};
  const double bottom = kTop + lines.height * static_cast<double>(rows + problem.library.size());
  const Scale x = scale_for(shown(problem), kLeft, lines.right, 1e9);
  figure.body = horizontal_axis(x, kTop, bottom, time_title(problem));
  double y = kTop;
  for (std::size_t i = 0; i < rows; ++i, y += lines.height) {
    const ReportFinalist& finalist = problem.finalists[i];
    figure.body +=
        row_svg(x, y, lines, problem.trials[finalist.trial], finalist, part.first_row + finalist.trial, i + 1);
  }
  for (const LibraryTime& time : problem.library) {
    figure.body +=
        lines.label(y, time.label + " (its samples are not stored)", format_us(time.median_us) + " us", "ink");
    figure.body += summary_marks(x, y + lines.middle, time.median_us, time.low_us, time.high_us, "interval library");
    y += lines.height;
  }
  figure.height = bottom + 46;
  return figure;
}

}  // namespace kerlab::report
