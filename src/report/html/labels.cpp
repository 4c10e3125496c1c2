// How trials and times are called in every figure and table of a report.

#include <fmt/format.h>

#include "base/format.h"
#include "report/form/clock_words.h"
#include "report/html/figures.h"
#include "report/text/tune_table.h"

namespace kerlab::report {

std::string trial_label(const Trial& trial) {
  return label_text(trial);
}

std::string device_label(const ReportProblem& problem) {
  return fmt::format("{} ({})", problem.device_class.substr(0, problem.device_class.find(" sm_")), name(problem.clock));
}

std::string time_title(const ReportProblem& problem) {
  return problem.clock == ClockKind::measured ? "time, us" : fmt::format("time, us ({})", name(problem.clock));
}

std::string time_heading(ClockKind clock) {
  return clock == ClockKind::modelled ? "us, modelled" : "us" + unless_measured(clock, ", ") + " [95 %]";
}

}  // namespace kerlab::report
