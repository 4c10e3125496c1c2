// The kernels of `kerlab bench A B` that passed their checks, timed in the same rounds; their ratios; what is stored.

#include <algorithm>

#include "session/bench/compare.h"
#include "session/run/judge_samples.h"

namespace kerlab::session {

void CompareSession::time_together() {
  RunRequest run;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (result_.kernels[i].trial.status != TrialStatus::passed) continue;
    const TrialCandidate& candidate = entries_[i].result.candidate;
    which.push_back(i);
    run.items.push_back(
        {candidate.label, candidate.image, candidate.plan, candidate.small_plan, candidate.nondeterministic});
  }
  if (which.empty()) return;
  run.schedule.emplace();
  run.schedule->rounds = options_.rounds;
  run.schedule->cold = !options_.hot;
  run.fresh = true;
  run.deadline = generous_deadline(rig_, *setup_, which.size() * static_cast<std::size_t>(options_.rounds + 10));
  const RunOutcome outcome = rig_.runner().run(run);
  if (outcome.status != TrialStatus::passed) {
    time_alone(which, run, outcome.message);
    return;
  }
  for (std::size_t i = 0; i < which.size(); ++i) {
    take_samples(which[i], outcome.samples[i]);
    if (i < outcome.fresh.size()) take_fresh_check(which[i], outcome.fresh[i]);
  }
}

/// Somebody broke the device; one by one, the culprit names itself.
void CompareSession::time_alone(const std::vector<std::size_t>& which, const RunRequest& together,
                                const std::string& why) {
  result_.notes.push_back(fmt::format("timed together they failed ({}): each was run alone, no ratio is told", why));
  for (std::size_t i = 0; i < which.size(); ++i) {
    RunRequest run = together;
    run.items = {together.items[i]};
    const RunOutcome outcome = rig_.runner().run(std::move(run));
    Trial& trial = result_.kernels[which[i]].trial;
    trial.status = outcome.status;
    trial.message = outcome.message;
  }
}

void CompareSession::take_samples(std::size_t index, const SampleSet& samples) {
  ComparedKernel& kernel = result_.kernels[index];
  kernel.warning = samples.warning;
  if (!samples.neighbours.empty())
    kernel.warning += fmt::format("{}the device was shared with {}", samples.warning.empty() ? "" : "; ",
                                  name_all(samples.neighbours));
  const CheckVerdict verdict = judge_samples(kernel.name, samples, setup_->plan);
  if (verdict.status == TrialStatus::passed) {
    kernel.measurement = make_measurement(samples, "bench", setup_->plan.recipes.front(), rig_.device());
  } else {
    kernel.trial.status = verdict.status;
    kernel.trial.message = verdict.message;
  }
}

void CompareSession::take_fresh_check(std::size_t index, const CheckReport& report) {
  const CheckVerdict verdict = judge(report);
  if (verdict.status == TrialStatus::passed) return;
  ComparedKernel& kernel = result_.kernels[index];
  kernel.trial.status = verdict.status;
  kernel.trial.message =
      fmt::format("{}: checked after timing, on data that it had not seen: {}", kernel.name, verdict.message);
  kernel.report = report;
  kernel.measurement.reset();
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

void CompareSession::store() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    ComparedKernel& kernel = result_.kernels[i];
    ledger_->keep_source(entries_[i].subject.source.source);
    kernel.trial.session = ledger_->session();
    database_.put(kernel.trial);
    if (!kernel.measurement) continue;
    result_.clock = kernel.measurement->clock;
    ledger_->measured(kernel.trial, *kernel.measurement);
  }
  ledger_->close("finished");
}

}  // namespace kerlab::session
