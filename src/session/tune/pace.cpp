#include "session/tune/pace.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>

#include "session/run/arguments.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kNearest = 3;                      // sessions that count
constexpr double kTooFar = 3;                            // as `distance`: nothing is said by what is less alike
constexpr double kOtherDType = 1.5;                      // as far as a problem of e^3 times the work
constexpr double kOtherVariants = 2;                     // no variant in common
constexpr double kOpenReal = 0.5, kOpenEmulated = 0.1;   // before the record begins: processes start
constexpr double kLookUp = 0.035;                        // where everything is stored
constexpr double kWholeFlops = 5e8, kWholeBytes = 64e6;  // an emulated device executes no more of a problem
constexpr double kLeastOfSweep = 0.3;                    // of a time limit
constexpr double kEmulatedFinals = 0.4, kRealFinals = 0.3,
                 kLongestRealFinals = 8;  // of a limit, where nothing is known

/// Seconds since 1970 of "2026-11-21T09:30:00.123Z".
double seconds_of(const std::string& utc) {
  std::tm day{};
  double seconds = 0;
  if (std::sscanf(utc.c_str(), "%d-%d-%dT%d:%d:%lfZ", &day.tm_year, &day.tm_mon, &day.tm_mday, &day.tm_hour,
                  &day.tm_min, &seconds) != 6)
    return 0;
  day.tm_year -= 1900;
  day.tm_mon -= 1;
  return static_cast<double>(::timegm(&day)) + seconds;
}

double work_of(const Family& family, const Problem& problem, const DeviceInfo& device) {
  const ProblemPlan plan = instantiate_reference(family, problem, device).plan;
  return std::max({1.0, plan.flops, plan.bytes});
}

/// How much of a problem an emulated device executes for a candidate, 1 at most: it samples large ones.
double executed(const Family& family, const Problem& problem, const DeviceInfo& device) {
  constexpr double kLeast = 1e-3;
  const ProblemPlan plan = instantiate_reference(family, problem, device).plan;
  return std::clamp(std::max(plan.flops / kWholeFlops, plan.bytes / kWholeBytes), kLeast, 1.0);
}

/// One session's trials of a problem.
struct Session {
  std::string problem;
  std::set<std::string> variants;
  std::vector<double> begun;  ///< when each was first written down
  double distance = 0;
  bool alike = false;     ///< the same dtype, and variants in common
  double executed = 1;    ///< of the problem; see `executed`
  double candidates = 1;  ///< growth of a candidate's time to the problem to come
  double finals = 1;      ///< and of the finals'
  Pace pace;
};

std::map<std::int64_t, Session> sessions_of(const Database& database, const Family& family,
                                            const std::string& device_class) {
  std::map<std::int64_t, Session> sessions;
  for (const Trial& trial : database.trials_of(family.name)) {
    if (trial.device_class != device_class || !is_final(trial.status)) continue;
    Session& session = sessions[trial.session];
    session.begun.push_back(seconds_of(trial.created));
    session.problem = trial.problem;
    session.variants.insert(trial.variant);
  }
  return sessions;
}

/// False: the session did not end by itself, or was no tune.
bool read_times(const Database& database, const std::string& device_class, std::int64_t id, Session& session) {
  const auto record = database.session(id);
  if (!record || record->state != SessionState::finished) return false;
  double last = 0;
  bool decided = false;
  for (const Measurement& measurement : database.measurements(session.problem, device_class)) {
    if (measurement.session != id) continue;
    if (measurement.stage == TimingStage::screen) last = std::max(last, seconds_of(measurement.created));
    decided = decided || measurement.stage == TimingStage::final;
  }
  const double begun = seconds_of(record->created);
  // An earlier session's candidate that was a finalist again counts as this one's.
  std::erase_if(session.begun, [&](double when) { return when < begun; });
  if (!decided || last <= 0 || session.begun.empty()) return false;
  const double first = std::ranges::min(session.begun);
  session.pace.tried = static_cast<double>(session.begun.size());
  session.pace.prepare_s = first - begun;
  session.pace.per_candidate_s = std::max(0.0, last - first) / session.pace.tried;
  session.pace.finals_s = std::max(0.0, begun + record->wall_s - last);
  return true;
}

/// Of variants: 0 the same, 1 none in common.
double unlike(const std::set<std::string>& one, const std::set<std::string>& other) {
  std::vector<std::string> common, all;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(common));
  std::set_union(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(all));
  return all.empty() ? 0 : 1 - static_cast<double>(common.size()) / static_cast<double>(all.size());
}

/// What a session of the problem says of the one to come.
double distance(const Family& family, const Session& session, const Problem& its, const Problem& problem,
                const DeviceInfo& device, const std::set<std::string>& variants) {
  const double ratio = work_of(family, its, device) / work_of(family, problem, device);
  return std::abs(std::log(ratio)) / 2 + (its.dtype == problem.dtype ? 0 : kOtherDType) +
         kOtherVariants * unlike(session.variants, variants);
}

/// Time goes with this power of what is executed: less than 1, because compiling and the small problems of a check cost
/// the same everywhere. A line through the sessions' logarithms, that begins as if the usual power had been seen.
double power_of(const std::vector<Session>& sessions, double Pace::*seconds) {
  constexpr double kUsual = 0.3, kTrust = 0.3;  // trust: as squares of e-folds of work
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Session& session : sessions) {
    if (!session.alike || session.pace.*seconds <= 0) continue;
    const double work = std::log(session.executed), time = std::log(session.pace.*seconds);
    n += 1, x += work, y += time, xx += work * work, xy += work * time;
  }
  if (n == 0) return kUsual;
  return std::clamp((kTrust * kUsual + xy - x * y / n) / (kTrust + xx - x * x / n), 0.0, 1.0);
}

/// From each session's problem to the one to come. A GPU's time is mostly compiling.
void find_growth(std::vector<Session>& sessions, double to_come) {
  const double candidates = power_of(sessions, &Pace::per_candidate_s), finals = power_of(sessions, &Pace::finals_s);
  for (Session& session : sessions) {
    session.candidates = std::pow(to_come / session.executed, candidates);
    session.finals = std::pow(to_come / session.executed, finals);
  }
}

Pace mean_of(const std::vector<Session>& nearest) {
  Pace mean;
  double weights = 0;
  for (const Session& session : nearest) {
    const double weight = 1 / ((0.1 + session.distance) * (0.1 + session.distance));
    weights += weight;
    mean.prepare_s += weight * session.pace.prepare_s;
    mean.per_candidate_s += weight * session.candidates * session.pace.per_candidate_s;
    mean.finals_s += weight * session.finals * session.pace.finals_s;
    mean.tried += weight * session.pace.tried;
    if (session.distance == 0) mean.tried_here = std::max(mean.tried_here, session.pace.tried);
  }
  for (double* sum : {&mean.prepare_s, &mean.per_candidate_s, &mean.finals_s, &mean.tried}) *sum /= weights;
  return mean;
}

}  // namespace

std::optional<Pace> pace_of(const Database& database, const Family& family, const Problem& problem,
                            const DeviceInfo& device, const std::set<std::string>& variants) {
  std::vector<Session> comparable;
  for (auto& [id, session] : sessions_of(database, family, device.device_class())) {
    try {
      const Problem its = make_problem(family, request_of_key(family, session.problem));
      session.distance = distance(family, session, its, problem, device, variants);
      session.alike = its.dtype == problem.dtype && unlike(session.variants, variants) < 1;
      session.executed = executed(family, its, device);
    } catch (const Error&) {
      continue;  // of a family that has changed since
    }
    if (session.distance <= kTooFar && read_times(database, device.device_class(), id, session))
      comparable.push_back(std::move(session));
  }
  if (comparable.empty()) return std::nullopt;
  if (device.is_slow) find_growth(comparable, executed(family, problem, device));
  std::stable_sort(comparable.begin(), comparable.end(),
                   [](const Session& a, const Session& b) { return a.distance < b.distance; });
  comparable.resize(std::min(comparable.size(), kNearest));
  return mean_of(comparable);
}

double seconds_for(const Pace& pace, double left, double time_s, const DeviceInfo& device) {
  if (left <= 0) return kLookUp;  // everything is stored, and so is the decision
  double candidates_s = left * pace.per_candidate_s;
  if (time_s > 0) candidates_s = std::min(candidates_s, std::max(kLeastOfSweep * time_s, time_s - pace.finals_s));
  return (device.is_slow ? kOpenEmulated : kOpenReal) + pace.prepare_s + candidates_s + pace.finals_s;
}

double reserved_for_finals(const Pace* pace, double time_s, const DeviceInfo& device) {
  double wanted = 0;
  if (pace != nullptr) wanted = pace->finals_s;
  if (pace == nullptr && device.is_slow) wanted = kEmulatedFinals * time_s;
  if (pace == nullptr && device.is_hardware) wanted = std::min(kRealFinals * time_s, kLongestRealFinals);
  return std::min(wanted, (1 - kLeastOfSweep) * time_s);
}

}  // namespace kerlab::session
