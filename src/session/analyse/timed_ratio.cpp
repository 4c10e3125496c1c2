#include "session/analyse/timed_ratio.h"

#include <algorithm>

namespace kerlab::session {

TimedRatios::TimedRatios(const Trial& like, const Database* database) {
  if (database == nullptr) return;
  for (const Trial& trial : database->trials_of(like.family)) {
    const bool same = trial.problem == like.problem && trial.variant == like.variant &&
                      trial.source_hash == like.source_hash && trial.status == TrialStatus::passed;
    if (!same) continue;
    std::vector<Timed>& times = trial.configuration == like.configuration ? own_ : others_[trial.configuration];
    for (Measurement& measurement : database->measurements(trial.id))
      if (measurement.clock != ClockKind::modelled) times.push_back({trial.device_class, std::move(measurement)});
  }
}

std::vector<std::string> TimedRatios::configurations() const {
  std::vector<std::string> list;
  for (const auto& [configuration, times] : others_)
    if (over(configuration)) list.push_back(configuration);
  return list;
}

std::optional<TimedRatio> TimedRatios::over(const std::string& configuration) const {
  const auto at = others_.find(configuration);
  if (at == others_.end()) return std::nullopt;
  std::optional<TimedRatio> best;
  std::string newest;
  for (const Timed& ours : own_) {
    for (const Timed& other : at->second) {
      const Measurement &a = ours.measurement, &b = other.measurement;
      const bool comparable = ours.device_class == other.device_class && a.protocol == b.protocol &&
                              a.cache == b.cache && a.clock == b.clock && a.median_us > 0 && b.median_us > 0;
      if (!comparable) continue;
      const bool together = a.session == b.session && a.stage == b.stage;
      const std::string when = std::max(a.created, b.created);
      const bool better = !best || together > best->same_session || (together == best->same_session && when >= newest);
      if (!better) continue;
      newest = when;
      best = TimedRatio{b.median_us / a.median_us,
                        a.high_us > 0 ? b.low_us / a.high_us : 0,
                        a.low_us > 0 ? b.high_us / a.low_us : 0,
                        b.trial,
                        other.device_class,
                        b.clock,
                        together};
    }
  }
  return best;
}

}  // namespace kerlab::session
