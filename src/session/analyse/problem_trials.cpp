#include "session/analyse/problem_trials.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "session/analyse/report_trials.h"

namespace kerlab::session {

namespace {

bool listed(const std::string& tie_set, std::int64_t trial) {
  std::istringstream stream(tie_set);
  for (std::string id; std::getline(stream, id, ',');)
    if (id == std::to_string(trial)) return true;
  return false;
}

double time_of(const ProblemTrial& one) {
  return one.measurement ? one.measurement->median_us : std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<ProblemTrial> problem_trials(const Database& database, const std::string& problem,
                                         const std::string& device_class) {
  std::map<std::int64_t, std::vector<Measurement>> times;
  for (Measurement& one : database.measurements(problem, device_class)) times[one.trial].push_back(std::move(one));
  const auto decision = database.winner(problem, device_class);
  std::vector<ProblemTrial> trials;
  for (Trial& trial : database.trials(problem, device_class)) {
    ProblemTrial one;
    if (const Measurement* best = most_trusted(times[trial.id])) one.measurement = *best;
    one.winner = decision && decision->trial == trial.id;
    one.tied = decision && !one.winner && listed(decision->tie_set, trial.id);
    one.trial = std::move(trial);
    trials.push_back(std::move(one));
  }
  std::ranges::stable_sort(trials, {}, time_of);
  return trials;
}

}  // namespace kerlab::session
