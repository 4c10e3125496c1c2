#include <fmt/format.h>

#include "base/format.h"
#include "report/html/figures.h"
#include "report/picture/plot.h"

namespace kerlab::report {

namespace {

constexpr double kWidth = 470, kHeight = 330, kLeft = 62, kRight = 454, kTop = 40, kBottom = 276;
constexpr double kRug = 9;  // failed trials stand above the axis

struct Run {
  std::vector<double> places;  ///< of each trial, on the axis
  std::string title;
};

/// What the search saw: screening times are comparable among each other, finals are not with them.
double seen(const ReportTrial& one) {
  return one.trial.status == TrialStatus::passed ? one.screen_us : 0;
}

Table improvements(const ReportProblem& problem) {
  Table table{{{"trial", Align::right},
               {"after", Align::right},
               {problem.clock == ClockKind::modelled ? "us, modelled" : "us", Align::right},
               {"configuration"}},
              {}};
  double best = 0;
  for (std::size_t i = 0; i < problem.trials.size(); ++i) {
    const double us = seen(problem.trials[i]);
    if (us <= 0 || (best > 0 && us >= best)) continue;
    best = us;
    table.rows.push_back({fmt::format("{}", i + 1), format_seconds(problem.trials[i].seconds), format_us(us),
                          trial_label(problem.trials[i].trial)});
  }
  return table;
}

ReportFigure progress(const ReportPart& part, const Run& run, ReportFigure figure) {
  const ReportProblem& problem = part.problem;
  std::vector<double> times;
  for (const ReportTrial& one : problem.trials)
    if (seen(one) > 0) times.push_back(seen(one));
  if (times.empty()) return figure;
  const double last = std::max(run.places.back(), 1e-9);
  const Scale x{0, last * 1.02, kLeft, kRight, false};
  const Scale y = scale_for(times, kBottom - 2 * kRug, kTop, 1.5);
  figure.width = kWidth;
  figure.height = kHeight;
  figure.body = vertical_axis(y, kLeft, kRight, time_title(problem)) + horizontal_axis(x, kTop, kBottom, run.title);
  for (const std::size_t begin : problem.sessions_begin)
    figure.body += svg_line(x.pixel(run.places[begin]), kTop, x.pixel(run.places[begin]), kBottom, "thin");
  std::vector<Dot> rest, own, failed;
  std::string step;
  double best = 0;
  for (std::size_t i = 0; i < problem.trials.size(); ++i) {
    const ReportTrial& one = problem.trials[i];
    const double px = x.pixel(run.places[i]), us = seen(one);
    if (us <= 0) {
      if (is_final(one.trial.status)) failed.push_back({part.first_row + i, px, kBottom - kRug});
      continue;
    }
    (one.trial.variant == problem.searched ? own : rest).push_back({part.first_row + i, px, y.pixel(us)});
    if (best > 0 && us >= best) continue;
    best = us;
    step +=
        step.empty() ? fmt::format("M{:.1f} {:.1f}", px, y.pixel(us)) : fmt::format("H{:.1f}V{:.1f}", px, y.pixel(us));
  }
  figure.body += dots("rest", rest) + dots("own", own) + dots("failed", failed);
  figure.body += fmt::format("<path class=\"best\" data-right=\"{0:.1f}\" d=\"{1}H{0:.1f}\"/>\n", kRight, step);
  if (!failed.empty()) figure.body += svg_text(kLeft - 8, kBottom - kRug + 4, "failed", "dim small", "end");
  figure.table = improvements(problem);
  return figure;
}

}  // namespace

ReportFigure progress_by_trials(const ReportPart& part) {
  Run run{{}, "trials"};
  for (std::size_t i = 0; i < part.problem.trials.size(); ++i) run.places.push_back(static_cast<double>(i + 1));
  return progress(part, run,
                  {"progress" + part.suffix,
                   "Best so far, by trials",
                   fmt::format("{} trials in the order they became known; the line is the best so far.",
                               part.problem.trials.size()),
                   "What the search saw of each trial, and the best so far; dotted: another session begins.",
                   0,
                   0,
                   "",
                   {}});
}

ReportFigure progress_by_time(const ReportPart& part) {
  Run run{{}, "seconds of tuning"};
  for (const ReportTrial& one : part.problem.trials) run.places.push_back(one.seconds);
  return progress(part, run,
                  {"progress-time" + part.suffix,
                   "Best so far, by time",
                   "The same trials against the seconds since tuning began; the line is the best so far.",
                   "Seconds since the session began, sessions end to end.",
                   0,
                   0,
                   "",
                   {}});
}

}  // namespace kerlab::report
