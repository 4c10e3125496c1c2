// How a session comes to its verdict, whatever ended the search: every verified trial of the problem with a comparable
// time takes part, tried now or stored.

#include <algorithm>

#include "session/tune/tune.h"

namespace kerlab::session {

void TuneSession::begin_finals() {
  if (!screened_) screened_ = Clock::now();
  company_.look();
  const StoredTimes times(ledger_.database(), setup_, rig_.device(), company_);
  stored_ = stored_contenders(rig_, space_, setup_, ledger_.database(), times, *screening_, previous_);
  if (decision_holds(times)) {
    use_stored_decision(*previous_);
    if (!final_.rows.empty()) {
      climb_or_finish();
      return;
    }
  }
  measured_now_ = true;
  phase_ = TunePhase::finals;
  compete();
}

void TuneSession::compete() {
  finals_.emplace(rig_, company_, setup_, space_, ledger_, *screening_, stored_, loader_);
}

/// Nothing was tried since, and nothing is stored that it did not look at and that beats its winner.
bool TuneSession::decision_holds(const StoredTimes& times) const {
  const ScreeningCounts& counts = screening_->counts();
  const bool nothing_new = counts.stored + counts.hopeless == counts.done;
  if (!nothing_new || !previous_) return false;
  const Measurement* winner = times.of(previous_->trial);
  const auto decided = ledger_.database().latest_measurement(previous_->trial, TimingStage::final);
  if (winner == nullptr || !decided || !company_.stands(*decided)) return false;
  const auto standing = ledger_.database().trial(previous_->trial);
  const Accuracy promised = parse_accuracy(standing ? standing->accuracy : "").value_or(Accuracy{});
  const bool weaker = !space_.admits(promised);
  const auto is_ignored = [&](const Screened& one) {
    const std::int64_t trial = one.candidate.trial.id;
    if (!one.time || one.twin || trial == previous_->trial) return false;
    if (one.weaker != weaker) return weaker;  // who may win goes before who may not, whatever they take
    // Of a class that the winner is stricter than, it may have been a finalist that could not win.
    const bool looked_at =
        one.candidate.plan.accuracy.within(promised) && times.was_finalist_since(trial, previous_->session);
    return overturns(one.time->median_us, winner->median_us) && !looked_at;
  };
  return std::ranges::none_of(screening_->screened(), is_ignored) && std::ranges::none_of(stored_.trials, is_ignored);
}

/// Nothing was tried, so the newest decision stands; its rows are what its session stored.
void TuneSession::use_stored_decision(const Decision& decision) {
  for (const Screened& screened : screening_->screened()) {
    const Trial& trial = screened.candidate.trial;
    if (trial.status != TrialStatus::passed) continue;
    auto measurement = ledger_.database().latest_measurement(trial.id, TimingStage::final);
    if (!measurement || measurement->session != decision.session) continue;
    final_.rows.push_back({{trial, std::move(*measurement)}, screened.time ? screened.time->median_us : 0});
  }
  const std::string ties = "," + decision.tie_set + ",";
  const auto rank = [&](const RankedTrial& row) {
    return std::make_pair(ties.find(fmt::format(",{},", row.trial.id)), row.measurement.median_us);
  };
  std::ranges::sort(final_.rows, {}, rank);
  for (RankedTrial& row : final_.rows) row.tie = rank(row).first != std::string::npos;
  final_.rule = decision.rule;
  final_.library = library_rows(ledger_.database().library_times(decision.measurement));
  if (!final_.library.empty()) final_.library_note = "stored with the winner";
  if (final_.rows.empty() || final_.rows.front().trial.id != decision.trial) final_ = {};
}

void TuneSession::end_finals() {
  const auto& screened = screening_->screened();
  const bool others =
      std::any_of(screened.begin(), screened.end(), [](const Screened& s) { return s.time && !s.twin; });
  if (finals_->result().rows.empty() && finals_->lost_somebody() && others) {
    // Every finalist fell; the next best have their turn.
    for (std::string& note : finals_->take_notes()) notes_.push_back(std::move(note));
    compete();
    return;
  }
  final_ = finals_->result();
  climb_or_finish();
}

}  // namespace kerlab::session
