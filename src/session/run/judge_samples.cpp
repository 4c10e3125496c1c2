#include "session/run/judge_samples.h"

#include "measure/cross_check.h"
#include "session/run/candidate.h"
#include "stats/samples.h"

namespace kerlab::session {

CheckVerdict judge_samples(const std::string& label, const SampleSet& samples, const ProblemPlan& plan) {
  const std::optional<double> us = median(samples.samples_us);
  if (!us) return {TrialStatus::launch_failed, fmt::format("{}: the worker sent no samples", label)};
  if (!samples.guard_violation.empty())
    return {TrialStatus::guard_violation, fmt::format("{}: after timing: {}", label, samples.guard_violation)};
  if (samples.host_ratio >= kHostDisagrees)
    return {TrialStatus::impossible_time,
            fmt::format("{}: the device was busy {:.2f} times as long as the kernel's stream: it works where events do "
                        "not see it",
                        label, samples.host_ratio)};
  if (is_impossible(*us, plan)) return {TrialStatus::impossible_time, impossible_message(label, *us, plan)};
  return {};
}

}  // namespace kerlab::session
