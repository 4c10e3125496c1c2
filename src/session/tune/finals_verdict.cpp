// Who wins: ranked by time and rule, checked thoroughly, measured once more, written down.

#include <algorithm>

#include "base/format.h"
#include "measure/lookout.h"
#include "session/tune/finals.h"

namespace kerlab::session {

void Finals::rank() {
  std::vector<std::size_t> standing;
  std::vector<std::pair<double, std::size_t>> others;  // not in the duel, by time
  std::vector<Finalist> finalists;
  const bool duelled =
      std::any_of(finalists_.begin(), finalists_.end(), [](const Entry& entry) { return entry.duelist && !entry.out; });
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    const Entry& entry = finalists_[i];
    if (entry.out || !entry.samples) continue;
    if (duelled && !entry.duelist) {
      others.emplace_back(*median(entry.samples->samples_us), i);
      continue;
    }
    standing.push_back(i);
    finalists.push_back(finalist(entry));
  }
  ranking_.clear();
  if (standing.empty()) {
    phase_ = Phase::finished;
    return;
  }
  const Verdict verdict = decide(finalists);
  for (const std::size_t i : verdict.order) ranking_.push_back(standing[i]);
  std::sort(others.begin(), others.end());
  for (const auto& [us, i] : others) ranking_.push_back(i);
  ties_ = verdict.ties;
  result_.rule = verdict.rule;
  if (finalists_[ranking_.front()].as_stored) {
    store();  // verified when it won
    phase_ = Phase::finished;
  } else {
    begin_verifying();
  }
}

Finalist Finals::finalist(const Entry& entry) {
  const Trial& trial = entry.screened->candidate.trial;
  return {*median(entry.samples->samples_us), trial.registers, trial.shared_bytes, entry.screened->candidate.label,
          entry.samples->samples_us};
}

/// The winner runs every recipe, with both poisons and again, before it is one.
void Finals::begin_verifying() {
  phase_ = Phase::verifying;
  RunRequest run;
  run.items.push_back(item(finalists_[ranking_.front()]));
  for (std::uint32_t i = 0; i < setup_.plan.recipes.size(); ++i) run.recipes.push_back(i);
  run.thorough = true;
  run.sampling = screening_.sampling(*finalists_[ranking_.front()].screened);
  run.deadline = 4 * screening_.deadline(6 * run.recipes.size());
  rig_.runner().begin(std::move(run));
}

void Finals::take_verdict(RunOutcome& outcome) {
  Entry& winner = finalists_[ranking_.front()];
  CheckVerdict verdict{outcome.status, outcome.message};
  if (outcome.status == TrialStatus::passed) {
    record_check(winner.screened->candidate.trial, outcome.checks.front());
    verdict = judge(outcome.checks.front());
  }
  if (verdict.status == TrialStatus::passed) {
    ledger_.result(winner.screened->candidate.trial);
    result_.verified = check_scope(outcome.checks.front(), setup_.small);
    measure_again();
    return;
  }
  eliminate(winner, verdict.status, "thorough check: " + verdict.message);
  rank();
}

void Finals::measure_again() {
  if (rig_.device().kind != DeviceKind::emulated) {
    begin_timing(Phase::again, {ranking_.front()});
    return;
  }
  store();
  phase_ = Phase::finished;
}

void Finals::take_again(RunOutcome& outcome) {
  Entry& winner = finalists_[ranking_.front()];
  if (with_library_ && outcome.status != TrialStatus::passed) {
    // Who has come so far was not at fault until the library came in.
    library_trouble_ = "left out, the winner's timing failed with it: " + outcome.message;
    begin_timing(Phase::again, {ranking_.front()});
    return;
  }
  library_ = std::move(outcome.library);
  take_samples(winner, outcome, 0);
  if (!winner.out && !outcome.fresh.empty()) {
    const CheckVerdict verdict = judge(outcome.fresh.front());
    if (verdict.status != TrialStatus::passed)
      eliminate(winner, verdict.status, "checked after timing, on data that it had not seen: " + verdict.message);
  }
  if (winner.out) {
    rank();
    return;
  }
  store();
  phase_ = Phase::finished;
}

void Finals::eliminate(Entry& entry, TrialStatus status, const std::string& message) {
  entry.out = true;
  lost_somebody_ = true;
  Screened& screened = *entry.screened;
  screened.candidate.trial.status = status;
  const std::string& label = screened.candidate.label;
  screened.candidate.trial.message = message.starts_with(label) ? message : fmt::format("{}: {}", label, message);
  screened.cost_us.reset();
  notes_.push_back(fmt::format("{}: {}", name(status), screened.candidate.trial.message));
  ledger_.result(screened.candidate.trial);
}

std::optional<SideBySide> Finals::beside_first(const Entry& entry, const Entry& first) const {
  const bool duel = !entry.duel_us.empty() && !first.duel_us.empty();
  const std::vector<double>& samples = duel ? entry.duel_us : entry.all_us;
  const auto summary = summarize(samples);
  const auto ratio = paired_ratio(samples, duel ? first.duel_us : first.all_us);
  if (!summary || !ratio) return std::nullopt;
  return SideBySide{*summary, *ratio, duel};
}

/// The rows are of those that were asked for; a decision is about all.
void Finals::store() {
  const Entry& winner = finalists_[ranking_.front()];
  const Entry* first = nullptr;
  result_.library = compare_library(library_, winner.samples->samples_us);
  result_.library_note = library_trouble_.empty() ? library_note(library_) : library_trouble_;
  result_.library_s = (library_.load_ms + library_.choose_ms) / 1e3;
  Decision decision;
  std::vector<ForeignProcess> neighbours;
  for (std::size_t rank = 0; rank < ranking_.size(); ++rank) {
    const Entry& entry = finalists_[ranking_[rank]];
    const Trial& trial = entry.screened->candidate.trial;
    if (rank < ties_) decision.tie_set += fmt::format("{}{}", rank > 0 ? "," : "", trial.id);
    if (entry.as_stored) continue;
    auto measurement = make_measurement(*entry.samples, "final", setup_.plan.recipes.front(), rig_.device());
    ledger_.measured(trial, *measurement);
    if (rank == 0) decision.measurement = measurement->id;
    neighbours = together(std::move(neighbours), entry.samples->neighbours);
    if (!entry.samples->warning.empty())
      result_.warnings.push_back(fmt::format("{}: {}", entry.screened->candidate.label, entry.samples->warning));
    if (entry.screened->outside != nullptr) continue;
    if (first == nullptr) first = &entry;
    if (rank < ties_) ++result_.ties;
    result_.rows.push_back({entry.screened, std::move(*measurement), beside_first(entry, *first)});
  }
  if (!neighbours.empty()) result_.rule += fmt::format(", while shared with {}", name_all(neighbours));
  if (winner.screened->outside != nullptr) result_.outside = outside_winner(first);
  if (!winner.as_stored) decide_for(winner, std::move(decision));
}

OutsideWinner Finals::outside_winner(const Entry* first) const {
  const Entry& entry = finalists_[ranking_.front()];
  OutsideWinner winner;
  winner.trial = entry.screened->candidate.trial;
  winner.median_us = *median(entry.samples->samples_us);
  winner.stays = winner.trial.id == stored_winner_;
  if (first == nullptr) return winner;
  const auto beside = beside_first(*first, entry);
  winner.ratio = beside ? beside->ratio.ratio : *median(first->samples->samples_us) / winner.median_us;
  return winner;
}

void Finals::decide_for(const Entry& entry, Decision decision) {
  ledger_.library(library_records(result_.library, decision.measurement));
  const Trial& winner = entry.screened->candidate.trial;
  decision.problem = winner.problem;
  decision.dtype = winner.dtype;
  decision.family = winner.family;
  decision.device_class = winner.device_class;
  decision.trial = winner.id;
  decision.rule = result_.rule;
  decision.candidates = static_cast<std::int64_t>(screening_.counts().done);
  ledger_.decide(decision);
}

}  // namespace kerlab::session
