#include "session/tune/ranking.h"

#include <algorithm>
#include <set>

namespace kerlab::session {

std::vector<OtherTrial> other_trials(const std::deque<Screened>& screened, const std::vector<FinalRow>& finals) {
  std::set<std::pair<std::string, std::string>> listed;
  for (const FinalRow& row : finals) {
    const Trial& trial = row.screened->candidate.trial;
    listed.emplace(trial.variant, trial.configuration);
  }
  std::vector<OtherTrial> others;
  for (const Screened& one : screened)
    if (one.cost_us && !one.twin && one.candidate.trial.status == TrialStatus::passed)
      others.push_back({one.candidate.trial, *one.cost_us, one.stored ? Timed::before : Timed::sweep});
  std::stable_sort(others.begin(), others.end(),
                   [](const OtherTrial& a, const OtherTrial& b) { return a.median_us < b.median_us; });
  std::erase_if(others, [&](const OtherTrial& one) {
    return !listed.emplace(one.trial.variant, one.trial.configuration).second;
  });
  others.resize(std::min(others.size(), kRanked - std::min(kRanked, finals.size())));
  return others;
}

std::optional<RungTime> first_rung(const KernelFolder& folder, const Database& database, const Trial& winner,
                                   const Measurement& measurement) {
  const Variant* first = nullptr;
  for (const Variant& variant : folder.variants)
    if (variant.rung >= 0 && (first == nullptr || variant.rung < first->rung)) first = &variant;
  if (first == nullptr) return std::nullopt;
  std::optional<RungTime> fastest;
  for (const Trial& trial : database.trials(winner.problem, winner.device_class)) {
    if (trial.variant != first->name || trial.status != TrialStatus::passed) continue;
    for (const Measurement& time : database.measurements(trial.id)) {
      const bool comparable = time.clock == measurement.clock && time.cache == measurement.cache &&
                              time.recipe == measurement.recipe && time.protocol == measurement.protocol;
      if (comparable && (!fastest || time.median_us < fastest->measurement.median_us)) fastest = RungTime{trial, time};
    }
  }
  return fastest;
}

}  // namespace kerlab::session
