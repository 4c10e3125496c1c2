// Which pairs the gate on times measures again, and in how many processes (stats/gate_plan.h).

#include <algorithm>

#include "base/elapsed.h"
#include "session/regress/time_gate_seen.h"

namespace kerlab::session {

namespace {

constexpr int kMostAtOnce = 4;  // processes, before the spread is looked at again

bool is_candidate(GateVerdict verdict) {
  return verdict == GateVerdict::regressed || verdict == GateVerdict::improved;
}

}  // namespace

/// More processes for whatever the plan cannot tell yet, then others for whatever is to be confirmed.
bool TimeGate::next_batch() {
  if (!confirms_) {
    if (begin_batch(lacking(), &Seen::first, "too noisy yet: ")) return true;
    confirms_ = true;
    if (!begin_batch(lacking_to_confirm(), &Seen::second, "confirming: ")) return false;
    pause_until_ = Clock::now() + options_.before_confirming;
    return true;
  }
  return begin_batch(lacking_to_confirm(), &Seen::second, "confirming: ");
}

/// As many processes as all pairs that lack some have use for. False: none lacks any.
bool TimeGate::begin_batch(const std::vector<int>& lacking, std::vector<ProcessPairs> Seen::*into, std::string why) {
  Batch batch{{}, {}, 0, 0, 0, into, std::move(why)};
  for (std::size_t i = 0; i < lacking.size(); ++i) {
    if (lacking[i] <= 0) continue;
    batch.which.push_back(i);
    batch.processes = batch.which.size() == 1 ? lacking[i] : std::min(batch.processes, lacking[i]);
  }
  if (batch.which.empty()) return false;
  if (batch_.into == into) batch.processes = std::min(batch.processes, kMostAtOnce);  // it is no first look
  batch_ = std::move(batch);
  return true;
}

std::vector<int> TimeGate::lacking() const {
  std::vector<int> lacking(seen_.size(), 0);
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (seen_[i].failure.empty()) lacking[i] = processes_lacking(seen_[i].first, seen_[i].rule, options_.plan);
  if (options_.time_s > 0) keep_what_time_allows(lacking);
  return lacking;
}

std::vector<int> TimeGate::lacking_to_confirm() const {
  std::vector<int> lacking(seen_.size(), 0);
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const Seen& seen = seen_[i];
    if (seen.failure.empty() && is_candidate(first_look(seen)))
      lacking[i] = processes_lacking_to_confirm(seen.first, seen.second, seen.rule, options_.plan);
  }
  return lacking;
}

/// What no longer fits lacks nothing: its verdict says what it would have seen.
void TimeGate::keep_what_time_allows(std::vector<int>& lacking) const {
  std::vector<double> launch_us, process_s;
  for (const Seen& seen : seen_) {
    launch_us.push_back(seen.launch_us(0));
    process_s.push_back(seen.process_s);
  }
  keep_what_fits(lacking, launch_us, process_s, options_.time_s - seconds_since(begun_));
}

GateVerdict TimeGate::first_look(const Seen& seen) {
  const auto effect = estimate_effect(seen.first, seen.rule);
  return effect ? look(*effect, seen.rule) : GateVerdict::inconclusive;
}

}  // namespace kerlab::session
