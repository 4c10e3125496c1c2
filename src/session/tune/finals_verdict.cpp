// Who wins: ranked by time and rule, checked thoroughly, measured once more, written down.

#include <algorithm>
#include <tuple>

#include "base/format.h"
#include "measure/lookout.h"
#include "session/run/elsewhere.h"
#include "session/run/single.h"
#include "session/tune/finals.h"

namespace kerlab::session {

namespace {

/// On other problems than the one asked for: a winner that is wrong at an edge is none. Then the runner is told of its
/// own again.
std::optional<Ending> fault_of_winner(Rig& rig, const TrialCandidate& winner, const Problem& asked,
                                      const ProblemLoader& loader) {
  const Variant& variant = find_variant(rig.folder(), winner.trial.variant);
  const VariantSource source{&variant, read_kernel_source(variant)};
  const auto fault = fault_elsewhere(rig, source, winner.configuration, asked);
  rig.set_problem(loader.data());
  return fault;
}

}  // namespace

void Finals::rank() {
  std::vector<std::size_t> standing;
  // Not in the duel, or of a weaker class than somebody else: by time, those last.
  std::vector<std::tuple<bool, double, std::size_t>> others;
  std::vector<TimedTrial> finalists;
  const bool stricter = stricter_is_left();
  const bool duelled = std::any_of(finalists_.begin(), finalists_.end(), [&](const Entry& entry) {
    return entry.duelist && !entry.out && !(stricter && entry.screened->weaker);
  });
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    const Entry& entry = finalists_[i];
    if (entry.out || !entry.measurement) continue;
    const bool beaten = stricter && entry.screened->weaker;
    if (beaten || (duelled && !entry.duelist)) {
      others.emplace_back(beaten, entry.measurement->median_us, i);
      continue;
    }
    standing.push_back(i);
    finalists.push_back({entry.screened->candidate.trial, *entry.measurement});
  }
  ranking_.clear();
  if (standing.empty()) {
    phase_ = Phase::finished;
    return;
  }
  const Verdict verdict = decide(finalists);
  for (const std::size_t i : verdict.order) ranking_.push_back(standing[i]);
  std::sort(others.begin(), others.end());
  for (const auto& [beaten, us, i] : others) ranking_.push_back(i);
  ties_ = verdict.ties;
  result_.rule = DecisionRule{verdict.tie_break, !others.empty() && std::get<bool>(others.back()), ""};
  if (finalists_[ranking_.front()].screened->as_stored) {
    store();  // verified when it won
    phase_ = Phase::finished;
  } else {
    begin_verifying();
  }
}

bool Finals::stricter_is_left() const {
  return std::ranges::any_of(
      finalists_, [](const Entry& entry) { return !entry.out && entry.measurement && !entry.screened->weaker; });
}

/// The winner runs every recipe, with both poisons and again, and on problems that break kernels, before it is one.
void Finals::begin_verifying() {
  phase_ = Phase::verifying;
  const Screened& winner = *finalists_[ranking_.front()].screened;
  Protocol protocol;
  protocol.recipes = all_recipes(setup_.plan);
  protocol.thorough = true;
  protocol.sampling = screening_.sampling(winner);
  protocol.deadline = 4 * screening_.deadline(6 * protocol.recipes.size());
  run_.emplace(rig_.runner(), setup_, std::vector{winner.candidate}, std::move(protocol));
}

void Finals::take_verdict(Evaluations& checked) {
  Entry& winner = finalists_[ranking_.front()];
  Evaluation& evaluation = checked.items.front();
  Trial found = evaluation.candidate.trial;
  if (evaluation.passed()) {
    if (const auto fault = fault_of_winner(rig_, winner.screened->candidate, setup_.problem, loader_)) {
      fault->record_in(found);
      found.reason = TrialReason::thorough_elsewhere;
    }
  } else {
    found.reason = found.reason == TrialReason::small_problem ? TrialReason::thorough_small : TrialReason::thorough;
  }
  if (found.status != TrialStatus::passed) {
    eliminate(winner, found, "thorough check: ");
    rank();
    return;
  }
  winner.screened->candidate.trial = std::move(evaluation.candidate.trial);
  ledger_.result(winner.screened->candidate.trial);
  result_.verified = std::move(evaluation.scope);
  measure_again();
}

void Finals::measure_again() {
  if (rig_.device().has_clock) {
    begin_timing(Phase::again, {ranking_.front()});
    return;
  }
  store();
  phase_ = Phase::finished;
}

void Finals::take_again(Evaluations& timed) {
  Entry& winner = finalists_[ranking_.front()];
  if (library_.message.empty() || !library_.rows.empty()) library_ = std::move(timed.library);
  take_evaluation(winner, timed.items.front());
  if (winner.out) {
    rank();
    return;
  }
  store();
  phase_ = Phase::finished;
}

/// `when`: in which test it failed.
void Finals::eliminate(Entry& entry, const Trial& found, const std::string& when) {
  entry.out = true;
  lost_somebody_ = true;
  Screened& screened = *entry.screened;
  Trial& trial = screened.candidate.trial;
  trial = found;
  trial.message = when + trial.message;
  screened.time.reset();
  notes_.push_back(ending_text(trial));
  ledger_.result(trial);
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
  result_.library = compare_library(library_, winner.measurement->samples_us);
  result_.library_note = library_note(library_, setup_, rig_);
  result_.library_s = (library_.load_ms + library_.choose_ms) / 1e3;
  Decision decision;
  std::vector<ForeignProcess> neighbours;
  for (std::size_t rank = 0; rank < ranking_.size(); ++rank) {
    const Entry& entry = finalists_[ranking_[rank]];
    const Trial& trial = entry.screened->candidate.trial;
    if (rank < ties_) decision.tie_set += fmt::format("{}{}", rank > 0 ? "," : "", trial.id);
    if (entry.screened->as_stored) continue;
    Measurement measurement = *entry.measurement;
    ledger_.measured(trial, measurement);
    if (rank == 0) decision.measurement = measurement.id;
    neighbours = together(std::move(neighbours), entry.neighbours);
    if (!entry.warning.empty())
      result_.warnings.push_back(fmt::format("{}: {}", entry.screened->candidate.label, entry.warning));
    if (entry.screened->outside != nullptr) continue;
    if (first == nullptr) first = &entry;
    result_.rows.push_back({{trial, std::move(measurement)},
                            entry.screened->time->median_us,
                            Timed::finals,
                            rank < ties_,
                            beside_first(entry, *first)});
  }
  result_.rule->shared_with = name_all(neighbours);
  if (winner.screened->outside != nullptr) result_.outside = outside_winner(first);
  if (!winner.screened->as_stored) decide_for(winner, std::move(decision));
}

OutsideWinner Finals::outside_winner(const Entry* first) const {
  const Entry& entry = finalists_[ranking_.front()];
  OutsideWinner winner;
  winner.trial = entry.screened->candidate.trial;
  winner.median_us = entry.measurement->median_us;
  winner.stays = winner.trial.id == stored_winner_;
  if (first == nullptr) return winner;
  const auto beside = beside_first(*first, entry);
  winner.ratio = beside ? beside->ratio.ratio : first->measurement->median_us / winner.median_us;
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
  decision.rule = *result_.rule;
  decision.candidates = static_cast<std::int64_t>(screening_.counts().done);
  ledger_.decide(decision);
}

}  // namespace kerlab::session
