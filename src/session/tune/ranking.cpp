#include "session/tune/ranking.h"

#include <algorithm>
#include <set>

namespace kerlab::session {

std::vector<RankedTrial> other_trials(const std::deque<Screened>& screened, const std::vector<RankedTrial>& finals) {
  std::set<std::pair<std::string, std::string>> listed;
  for (const RankedTrial& row : finals) listed.emplace(row.trial.variant, row.trial.configuration);
  std::vector<RankedTrial> others;
  for (const Screened& one : screened)
    if (one.time && !one.twin && one.candidate.trial.status == TrialStatus::passed)
      others.push_back({{one.candidate.trial, *one.time}, 0, one.stored ? Timed::before : Timed::sweep});
  std::ranges::stable_sort(others, {}, [](const RankedTrial& one) { return one.measurement.median_us; });
  std::erase_if(others, [&](const RankedTrial& one) {
    return !listed.emplace(one.trial.variant, one.trial.configuration).second;
  });
  others.resize(std::min(others.size(), kRanked - std::min(kRanked, finals.size())));
  return others;
}

std::optional<TimedTrial> first_rung(const KernelFolder& folder, const Database& database, const Trial& winner,
                                     const Measurement& measurement) {
  const Variant* first = nullptr;
  for (const Variant& variant : folder.variants)
    if (variant.rung >= 0 && (first == nullptr || variant.rung < first->rung)) first = &variant;
  if (first == nullptr) return std::nullopt;
  std::optional<TimedTrial> fastest;
  for (const Trial& trial : database.trials(winner.problem, winner.device_class)) {
    if (trial.variant != first->name || trial.status != TrialStatus::passed) continue;
    for (const Measurement& time : database.measurements(trial.id)) {
      const bool comparable = time.clock == measurement.clock && time.cache == measurement.cache &&
                              time.recipe == measurement.recipe && time.protocol == measurement.protocol;
      if (comparable && (!fastest || time.median_us < fastest->measurement.median_us))
        fastest = TimedTrial{trial, time};
    }
  }
  return fastest;
}

}  // namespace kerlab::session
