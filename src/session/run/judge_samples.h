#pragma once
// What timing a kernel has shown about it, besides how long it takes. One verdict for whoever had it timed: sweep,
// finals, ladder, bench, portfolio and gate.

#include <string>

#include "session/run/runner.h"

namespace kerlab::session {

/// passed: the times count. Else memory was damaged while it was timed, the device was busy where events do not see it,
/// the time is below what the device can do, or there is no sample; the sentence begins with `label`.
CheckVerdict judge_samples(const std::string& label, const SampleSet& samples, const ProblemPlan& plan);

}  // namespace kerlab::session
