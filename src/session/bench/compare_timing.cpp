// The kernels of `kerlab bench A B` that passed their checks, timed in the same rounds; their ratios; what is stored.

#include <algorithm>

#include "session/bench/compare.h"

namespace kerlab::session {

void CompareSession::time_together() {
  std::vector<TrialCandidate> candidates;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (result_.kernels[i].trial.status != TrialStatus::passed) continue;
    which.push_back(i);
    candidates.push_back(entries_[i].result.candidate);
  }
  if (which.empty()) return;
  Protocol protocol;
  protocol.schedule.emplace();
  protocol.schedule->rounds = options_.rounds;
  protocol.schedule->cold = !options_.hot;
  protocol.fresh = true;
  protocol.deadline = generous_deadline(rig_, *setup_, which.size() * static_cast<std::size_t>(options_.rounds + 10));
  Evaluations timed = evaluate(rig_, *setup_, std::move(candidates), std::move(protocol));
  if (timed.apart)
    result_.notes.push_back(
        fmt::format("timed together they failed ({}): each was run alone, no ratio is told", timed.apart->message));
  for (std::size_t i = 0; i < which.size(); ++i) take_timing(which[i], timed.items[i], !timed.apart);
}

void CompareSession::take_timing(std::size_t index, Evaluation& timed, bool together) {
  ComparedKernel& kernel = result_.kernels[index];
  kernel.warning = timed.warning;
  if (together) kernel.measurement = std::move(timed.measurement);
  if (timed.passed()) return;
  kernel.trial.status = timed.candidate.trial.status;
  kernel.trial.message = timed.candidate.trial.message;
  if (!timed.report.recipes.empty()) kernel.report = std::move(timed.report);
}

/// Of samples that were taken in turns, and of medians of a model.
void CompareSession::compare_times() {
  const std::optional<Measurement>& first = result_.kernels.front().measurement;
  if (!first) return;
  for (std::size_t i = 1; i < result_.kernels.size(); ++i) {
    ComparedKernel& kernel = result_.kernels[i];
    if (kernel.measurement) kernel.speed = paired_ratio(first->samples_us, kernel.measurement->samples_us);
  }
}

/// As soon as it is checked, so that an interruption keeps that; and again when it is timed, which may show more.
void CompareSession::store_trial(std::size_t index) {
  ComparedKernel& kernel = result_.kernels[index];
  ledger_->keep_source(entries_[index].subject.source.source);
  kernel.trial.session = ledger_->session();
  database_.put(kernel.trial);
}

void CompareSession::store() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    store_trial(i);
    ComparedKernel& kernel = result_.kernels[i];
    if (!kernel.measurement) continue;
    result_.clock = kernel.measurement->clock;
    ledger_->measured(kernel.trial, *kernel.measurement);
  }
  ledger_->close(SessionState::finished);
}

}  // namespace kerlab::session
