#pragma once
// The trials of one problem of a report, each with its most trusted time, in the order in which they became known.

#include <map>
#include <vector>

#include "db/database.h"
#include "session/analyse/report_data.h"

namespace kerlab::session {

/// By the trial's number, each list in the order of storing.
using ByTrial = std::map<std::int64_t, std::vector<Measurement>>;

/// Of the problem's key, device class and clock.
ByTrial measurements_by_trial(const Database& database, const ReportProblem& problem);

/// The newest with a cold cache of the most trusted stage there is: final, bench, screen; null: there is none.
const Measurement* most_trusted(const std::vector<Measurement>& measurements);

/// Fills `trials` and `sessions_begin`: trials in the order in which they became known, sessions end to end.
void add_trials(ReportProblem& problem, std::vector<Trial> trials, const ByTrial& times, const Database& database);

}  // namespace kerlab::session
