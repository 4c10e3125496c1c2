#include "session/run/evaluation.h"

#include <algorithm>
#include <numeric>

#include "session/run/prune.h"

namespace kerlab::session {

namespace {

TrialStatus status_of(CompileStatus status) {
  switch (status) {
    case CompileStatus::timeout:
      return TrialStatus::compile_timeout;
    case CompileStatus::crashed:
      return TrialStatus::compiler_crash;
    default:
      return TrialStatus::compile_error;
  }
}

/// "6 of 1024 blocks, and whole at 391x263x1100": what an emulated check executed; empty for a check on a GPU.
std::string check_scope(const CheckReport& report, const std::optional<SmallProblem>& small) {
  std::string scope;
  if (report.blocks > 0)
    scope = report.blocks_run < report.blocks ? fmt::format("{} of {} blocks", report.blocks_run, report.blocks)
                                              : fmt::format("all {} blocks", report.blocks);
  if (!report.whole_small || !small) return scope;
  return fmt::format("{}whole at {}", scope.empty() ? "" : scope + ", and ", small->problem.title());
}

void record_check(Trial& trial, const CheckReport& report) {
  trial.error_ratio = report.error_ratio();
  trial.mismatches = report.mismatches();
  trial.check_detail = check_json(report);
}

std::string warning_of(const SampleSet& samples) {
  if (samples.neighbours.empty()) return samples.warning;
  return fmt::format("{}{}the device was shared with {}", samples.warning, samples.warning.empty() ? "" : "; ",
                     name_all(samples.neighbours));
}

/// The worker died or hung: once may be bad luck.
bool is_lost(const RunOutcome& outcome) {
  return outcome.status == TrialStatus::timeout || outcome.status == TrialStatus::worker_crash;
}

}  // namespace

bool can_launch(TrialCandidate& candidate, const DeviceInfo& device) {
  const Ending impossible = impossible_launch(device, candidate.plan);
  if (!impossible.passed()) impossible.record_in(candidate.trial);
  return impossible.passed();
}

bool take_compiled(TrialCandidate& candidate, CompileResult& compiled, const DeviceInfo& device, bool allow_spills) {
  candidate.trial.compile_ms = compiled.milliseconds;
  Ending ending{status_of(compiled.status), compiled.message};
  if (compiled.status == CompileStatus::ok) {
    record_resources(candidate, compiled.kernels);
    ending = reason_to_reject(device, candidate.plan, compiled, allow_spills);
  }
  if (!ending.passed()) {
    ending.record_in(candidate.trial);
    return false;
  }
  candidate.image = loadable_image(compiled, device);
  return true;
}

EvaluationRun::EvaluationRun(CandidateRunner& runner, const ProblemSetup& setup, std::vector<TrialCandidate> candidates,
                             Protocol protocol)
    : runner_(&runner), setup_(&setup), protocol_(std::move(protocol)) {
  for (TrialCandidate& candidate : candidates) result_.items.emplace_back().candidate = std::move(candidate);
  std::vector<std::size_t> all(result_.items.size());
  std::iota(all.begin(), all.end(), 0);
  begin(std::move(all));
}

/// Where there will be another attempt anyway, with fewer on the device, one is enough.
void EvaluationRun::begin(std::vector<std::size_t> batch) {
  batch_ = std::move(batch);
  Protocol protocol = protocol_;
  if (batch_.size() > 1 || (protocol.library && !batch_.empty())) protocol.attempts = 1;
  std::vector<Loadable> items;
  for (const std::size_t i : batch_) items.push_back(result_.items[i].candidate);
  runner_->begin(std::move(items), std::move(protocol));
}

std::optional<Evaluations> EvaluationRun::poll() {
  std::optional<RunOutcome> outcome = runner_->poll();
  return outcome ? take(*outcome) : std::nullopt;
}

Evaluations EvaluationRun::wait() {
  for (;;) {
    RunOutcome outcome = runner_->wait();
    if (std::optional<Evaluations> done = take(outcome)) return std::move(*done);
  }
}

std::optional<Evaluations> EvaluationRun::take(RunOutcome& outcome) {
  if (leave_library_out(outcome)) {
    begin(batch_);
    return std::nullopt;
  }
  if (protocol_.library) result_.library = std::move(outcome.library);
  result_.energy = std::move(outcome.energy);
  result_.energy_message = std::move(outcome.energy_message);
  for (std::size_t place = 0; place < batch_.size(); ++place) {
    if (!is_decided(place, outcome) && !result_.items[batch_[place]].candidate.checked) {
      alone_.push_back(batch_[place]);
      if (!result_.apart)
        result_.apart = Ending{outcome.status, fmt::format("{}: {}", at_work(outcome), outcome.message)};
    } else {
      conclude(place, outcome);
    }
  }
  if (alone_.empty()) return std::move(result_);
  protocol_.library = false;  // no time of it would compare
  begin({alone_.front()});
  alone_.pop_front();
  return std::nullopt;
}

/// Who may be at fault: "reg2d BM=64, reg2d BM=128".
std::string EvaluationRun::at_work(const RunOutcome& outcome) const {
  std::vector<std::string> labels;
  for (std::size_t place = 0; place < batch_.size(); ++place)
    if (outcome.culprit.value_or(place) == place) labels.push_back(result_.items[batch_[place]].candidate.label);
  return fmt::format("{}", fmt::join(labels, ", "));
}

/// Opened or timed beside the candidates it broke the worker, or they did: without it that will show.
bool EvaluationRun::leave_library_out(const RunOutcome& outcome) {
  if (!protocol_.library || outcome.status == TrialStatus::passed) return false;
  if (outcome.culprit && !is_lost(outcome)) return false;
  result_.library = {};
  result_.library.status = outcome.status;
  result_.library.message = outcome.message;
  protocol_.library = false;
  if (batch_.empty()) return false;
  result_.library.message = "left out, timing failed with it: " + outcome.message;
  return true;
}

/// Whether what became of it is its own doing.
bool EvaluationRun::is_decided(std::size_t place, const RunOutcome& outcome) const {
  if (batch_.size() == 1) return true;
  if (outcome.status != TrialStatus::passed)
    return outcome.culprit == place && (!is_lost(outcome) || protocol_.attempts == 1);
  const Loadable& item = result_.items[batch_[place]].candidate;
  return judge(item, place, outcome, protocol_, setup_->plan).status != TrialStatus::interrupted;
}

void EvaluationRun::conclude(std::size_t place, RunOutcome& outcome) {
  Evaluation& evaluation = result_.items[batch_[place]];
  TrialCandidate& candidate = evaluation.candidate;
  ItemOutcome& seen = outcome.items[place];
  judge(candidate, place, outcome, protocol_, setup_->plan).record_in(candidate.trial);
  record_resources(candidate, seen.resources);
  evaluation.resources = std::move(seen.resources);
  evaluation.sanitized = std::move(seen.sanitized);
  evaluation.longest_ms = outcome.longest_ms;
  if (seen.check) {
    record_check(candidate.trial, *seen.check);
    evaluation.scope = check_scope(*seen.check, setup_->small);
    evaluation.report = std::move(*seen.check);
  }
  if (seen.fresh && !seen.fresh->passed()) evaluation.report = std::move(*seen.fresh);
  if (!seen.samples) return;
  evaluation.warning = warning_of(*seen.samples);
  evaluation.counted = std::move(seen.samples->launches);
  if (evaluation.passed())
    evaluation.measurement =
        make_measurement(*seen.samples, protocol_.stage, setup_->plan.recipes.front(), runner_->device());
  evaluation.samples = std::move(seen.samples);
}

Evaluations evaluate(Rig& rig, const ProblemSetup& setup, std::vector<TrialCandidate> candidates, Protocol protocol) {
  return EvaluationRun(rig.runner(), setup, std::move(candidates), std::move(protocol)).wait();
}

}  // namespace kerlab::session
