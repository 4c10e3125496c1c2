#include "report/html/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "report/form/clock_words.h"
#include "report/html/figures.h"
#include "report/text/tune_table.h"

namespace kerlab::report {

namespace {

std::string rate_cell(const ReportProblem& problem, const ReportTrial& one) {
  if (one.flops_per_s <= 0 && one.bytes_per_s <= 0) return "-";
  const bool memory = problem.theoretical && problem.theoretical->memory_bound;
  return memory ? fmt::format("{:.4g} GB/s", one.bytes_per_s / 1e9) : tera_text(one.flops_per_s) + " TFLOP/s";
}

struct Shape {
  bool several_devices = false, with_library = false, compact = false;
};

std::vector<std::string> row(const ReportProblem& problem, const Shape& shape) {
  const ReportTrial* best = best_trial(problem);
  std::vector<std::string> cells{problem.title};
  if (shape.several_devices) cells.push_back(device_label(problem));
  if (best == nullptr) {
    cells.insert(cells.end(), {"-", "-", "-"});
  } else {
    const std::string clock = unless_measured(problem.clock);
    cells.insert(cells.end(), {median_with_interval(*best->time) + clock, rate_cell(problem, *best),
                               best->of_roof > 0 ? fmt::format("{:.1f}", 100 * best->of_roof) : "-"});
  }
  if (shape.with_library) {
    cells.push_back(library_ratio(problem));
    if (shape.compact) cells.push_back(verdict_text(library_verdict(problem)));  // the page leads with bars
  }
  if (!shape.compact) {
    const auto passed = std::count_if(problem.trials.begin(), problem.trials.end(),
                                      [](const ReportTrial& one) { return one.trial.status == TrialStatus::passed; });
    cells.push_back(fmt::format("{} / {}", passed, problem.trials.size()));
  }
  cells.push_back(best == nullptr ? "no trial passed" : trial_label(best->trial));
  return cells;
}

}  // namespace

const LibraryTime* library_best(const ReportProblem& problem) {
  return problem.library.empty() ? nullptr : &problem.library.front();
}

const ReportTrial* best_trial(const ReportProblem& problem) {
  if (problem.winner && problem.trials[*problem.winner].time) return &problem.trials[*problem.winner];
  const ReportTrial* best = nullptr;
  for (const ReportTrial& one : problem.trials)
    if (one.time && one.trial.status == TrialStatus::passed &&
        (best == nullptr || one.time->median_us < best->time->median_us))
      best = &one;
  return best;
}

LibraryVerdict library_verdict(const ReportProblem& problem) {
  if (!problem.winner) return LibraryVerdict::no_winner;
  if (problem.clock != ClockKind::measured) return LibraryVerdict::modelled;
  const LibraryTime* library = library_best(problem);
  if (library == nullptr || library->ratio <= 0) return LibraryVerdict::no_library;
  if (library->ratio_low > 1) return LibraryVerdict::faster;
  return library->ratio_high < 1 ? LibraryVerdict::slower : LibraryVerdict::even;
}

std::string verdict_text(LibraryVerdict verdict) {
  switch (verdict) {
    case LibraryVerdict::no_winner:
      return "no winner decided";
    case LibraryVerdict::no_library:
      return "no library timed";
    case LibraryVerdict::modelled:
      return "not measured";
    case LibraryVerdict::faster:
      return "faster than the library";
    case LibraryVerdict::even:
      return "as fast as the library";
    case LibraryVerdict::slower:
      break;
  }
  return "slower than the library";
}

std::string library_name(const LibraryTime& library) {
  return library.label.substr(0, library.label.find(','));
}

std::string library_ratio(const ReportProblem& problem) {
  const LibraryTime* library = library_best(problem);
  if (library == nullptr || library->ratio <= 0) return "-";
  return fmt::format("{:.3f} [{:.3f},{:.3f}]", library->ratio, library->ratio_low, library->ratio_high);
}

bool has_library(const LabReport& report) {
  return std::any_of(report.problems.begin(), report.problems.end(), [](const ReportProblem& problem) {
    const LibraryTime* library = library_best(problem);
    return library != nullptr && library->ratio > 0;
  });
}

Table summary_table(const LabReport& report, bool compact) {
  const bool several = std::any_of(report.problems.begin(), report.problems.end(), [&](const ReportProblem& problem) {
    return problem.device_class != report.problems.front().device_class ||
           problem.clock != report.problems.front().clock;
  });
  const Shape shape{several, has_library(report), compact};
  Table table{{{"problem"}}, {}};
  if (several) table.columns.push_back({"device"});
  table.columns.insert(table.columns.end(),
                       {{several ? "us" : time_heading(report.problems.front().clock), Align::right},
                        {"rate", Align::right},
                        {"% roof", Align::right}});
  if (shape.with_library) {
    table.columns.push_back({"library / ours [95 %]", Align::right});
    if (compact) table.columns.push_back({"verdict"});
  }
  if (!compact) table.columns.push_back({"passed / tried", Align::right});
  table.columns.push_back({"winner"});
  for (const ReportProblem& problem : report.problems) table.rows.push_back(row(problem, shape));
  return table;
}

std::string change_text(const ReportProblem& problem) {
  if (!problem.previous || !problem.winner) return "";
  const ReportTrial& winner = problem.trials[*problem.winner];
  const ReportPrevious& previous = *problem.previous;
  if (!winner.time) return "";
  if (previous.decision.trial == problem.decision->trial)
    return fmt::format("the same winner, {} us then, {} us now", format_us(previous.median_us),
                       format_us(winner.time->median_us));
  const bool again = previous.again_us > 0;
  const double before = again ? previous.again_us : previous.median_us;
  return fmt::format("{}: {} us -> {} us ({:+.1f} %), {}", previous.label, format_us(before),
                     format_us(winner.time->median_us), 100 * (winner.time->median_us / before - 1),
                     again ? "both measured in the same session" : "measured in different sessions, so only roughly");
}

}  // namespace kerlab::report
