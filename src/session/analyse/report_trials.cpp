#include "session/analyse/report_trials.h"

#include <algorithm>
#include <ctime>
#include <tuple>

namespace kerlab::session {

namespace {

/// Seconds since 1970 of "2026-11-21T09:30:00.123Z"; 0: not of that form.
double instant(const std::string& utc) {
  std::tm time{};
  double seconds = 0;
  if (std::sscanf(utc.c_str(), "%d-%d-%dT%d:%d:%lf", &time.tm_year, &time.tm_mon, &time.tm_mday, &time.tm_hour,
                  &time.tm_min, &seconds) != 6)
    return 0;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  return static_cast<double>(::timegm(&time)) + seconds;
}

/// When its first measurement, or without one it itself, was stored.
std::string known_at(const Trial& trial, const std::vector<Measurement>& measurements) {
  std::string first;
  for (const Measurement& one : measurements)
    if (first.empty() || one.created < first) first = one.created;
  return first.empty() ? trial.created : first;
}

ReportTrial to_report(Trial trial, const std::vector<Measurement>& measurements) {
  ReportTrial result;
  result.trial = std::move(trial);
  if (const Measurement* time = most_trusted(measurements)) {
    result.time = *time;
    result.time->samples_us.clear();
  }
  for (const Measurement& one : measurements)
    if (one.stage == TimingStage::screen && one.cache == CacheState::cold) result.screen_us = one.median_us;
  if (result.screen_us == 0 && result.time) result.screen_us = result.time->median_us;
  return result;
}

}  // namespace

const Measurement* most_trusted(const std::vector<Measurement>& measurements) {
  for (const TimingStage stage : kMostTrustedFirst) {
    const Measurement* newest = nullptr;
    for (const Measurement& one : measurements)
      if (one.stage == stage && one.cache == CacheState::cold && (newest == nullptr || one.created >= newest->created))
        newest = &one;
    if (newest != nullptr) return newest;
  }
  return nullptr;
}

ByTrial measurements_by_trial(const Database& database, const ReportProblem& problem) {
  ByTrial result;
  for (Measurement& one : database.measurements(problem.key, problem.device_class))
    if (one.clock == problem.clock) result[one.trial].push_back(std::move(one));
  return result;
}

void add_trials(ReportProblem& problem, std::vector<Trial> trials, const ByTrial& times, const Database& database) {
  static const std::vector<Measurement> kNone;
  struct Known {
    std::int64_t session;
    std::string when;
    ReportTrial trial;
  };
  std::vector<Known> known;
  for (Trial& trial : trials) {
    const auto at = times.find(trial.id);
    const std::vector<Measurement>& own = at == times.end() ? kNone : at->second;
    const std::int64_t session = own.empty() ? trial.session : own.front().session;
    known.push_back({session, known_at(trial, own), to_report(std::move(trial), own)});
  }
  std::stable_sort(known.begin(), known.end(), [](const Known& a, const Known& b) {
    return std::tie(a.session, a.when) < std::tie(b.session, b.when);
  });
  double before = 0, begun = 0, last = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool begins = i == 0 || known[i].session != known[i - 1].session;
    const double when = instant(known[i].when);
    if (begins) {
      if (i > 0) problem.sessions_begin.push_back(i);
      before = last;
      const auto session = database.session(known[i].session);
      begun = session ? instant(session->created) : when;
    }
    last = std::max(last, before + std::max(0.0, when - begun));
    known[i].trial.seconds = last;
    problem.trials.push_back(std::move(known[i].trial));
  }
}

}  // namespace kerlab::session
