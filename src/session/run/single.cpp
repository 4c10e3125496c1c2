#include "session/run/single.h"

#include <algorithm>

#include "base/elapsed.h"
#include "session/run/judge_samples.h"

namespace kerlab::session {

namespace {

constexpr std::chrono::minutes kEmulatedRunDeadline{10};

void fail(TrialCandidate& candidate, TrialStatus status, const std::string& message) {
  candidate.trial.status = status;
  candidate.trial.message = message;
}

/// Fills in the image; false when there is none or it must not run.
bool compile_single(Rig& rig, const SourceBundle& source, SingleResult& result, const SingleOptions& options) {
  TrialCandidate& candidate = result.candidate;
  if (const std::string reason = impossible_launch(rig.device(), candidate.plan); !reason.empty()) {
    fail(candidate, TrialStatus::rejected, reason);
    return false;
  }
  if (options.line_info) candidate.options.emplace_back("--generate-line-info");
  const Clock::time_point begin = Clock::now();
  CompileResult compiled = rig.compilers().compile({source, candidate.options});
  result.compile_s = seconds_since(begin);
  candidate.trial.compile_ms = compiled.milliseconds;
  if (compiled.status != CompileStatus::ok) {
    result.compile_log = compiled.message;
    fail(candidate, status_of(compiled.status), fmt::format("{}: {}", candidate.label, compiled.message));
    return false;
  }
  record_resources(candidate, compiled.kernels);
  if (const std::string reason = reason_to_reject(rig.device(), candidate.plan, compiled, true); !reason.empty()) {
    fail(candidate, TrialStatus::rejected, reason);
    return false;
  }
  candidate.image = loadable_image(compiled, rig.device());
  return true;
}

}  // namespace

SingleResult run_single(Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                        const Configuration& configuration, const SingleOptions& options) {
  TrialCandidate candidate =
      make_candidate(rig.folder().family, source, 0, configuration, setup.problem, rig.device(), rig.toolchain());
  candidate.small_plan = small_plan(rig.folder().family, *source.variant, candidate, setup, rig.device());
  return run_candidate(rig, setup, source.source, source.variant->sampling, std::move(candidate), options);
}

SingleResult run_candidate(Rig& rig, const ProblemSetup& setup, const SourceBundle& source, Sampling sampling,
                           TrialCandidate made, const SingleOptions& options) {
  SingleResult result;
  result.candidate = std::move(made);
  TrialCandidate& candidate = result.candidate;
  if (!compile_single(rig, source, result, options)) return result;
  RunRequest run;
  run.items.push_back(
      {candidate.label, candidate.image, candidate.plan, candidate.small_plan, candidate.nondeterministic});
  run.items.insert(run.items.end(), options.beside.begin(), options.beside.end());
  run.sampling = options.full ? Sampling::everything : sampling;
  run.recipes = options.recipes;
  run.thorough = options.thorough;
  run.explain = options.explain;
  run.schedule = options.schedule;
  run.fresh = !options.recipes.empty();
  run.library = options.library;
  run.energy_seconds = options.energy_seconds;
  run.run_once = options.run_once;
  run.count_lines = options.count_lines;
  run.sanitize = options.sanitize;
  run.deadline = options.deadline;
  run.attempts = options.attempts;
  RunOutcome outcome = rig.runner().run(std::move(run));
  candidate.trial.status = outcome.status;
  candidate.trial.message = outcome.message;
  if (!outcome.resources.empty()) {
    result.resources = outcome.resources.front();
    record_resources(candidate, result.resources);
  }
  if (!outcome.sanitized.empty()) result.sanitized = std::move(outcome.sanitized.front());
  for (const CheckReport& report : outcome.checks) {
    record_check(candidate.trial, report);
    result.report = report;
    result.scope = check_scope(report, setup.small);
    const CheckVerdict verdict = judge(report);
    if (verdict.status != TrialStatus::passed)
      fail(candidate, verdict.status, fmt::format("{}: {}", candidate.label, verdict.message));
  }
  for (const CheckReport& report : outcome.fresh) {
    const CheckVerdict verdict = judge(report);
    if (verdict.status != TrialStatus::passed)
      fail(candidate, verdict.status,
           fmt::format("{}: checked after timing, on data that it had not seen: {}", candidate.label, verdict.message));
  }
  if (candidate.trial.status != TrialStatus::passed || outcome.samples.empty()) return result;
  const SampleSet& samples = outcome.samples.front();
  result.warning = samples.warning;
  if (!samples.neighbours.empty())
    result.warning += fmt::format("{}the device was shared with {}", samples.warning.empty() ? "" : "; ",
                                  name_all(samples.neighbours));
  result.counted = samples.launches;
  result.beside.assign(outcome.samples.begin() + 1, outcome.samples.end());
  result.library = std::move(outcome.library);
  result.energy = std::move(outcome.energy);
  result.energy_message = std::move(outcome.energy_message);
  const CheckVerdict timed = judge_samples(candidate.label, samples, setup.plan);
  if (timed.status == TrialStatus::passed)
    result.measurement = make_measurement(samples, "bench", setup.plan.recipes.front(), rig.device());
  else
    fail(candidate, timed.status, timed.message);
  return result;
}

std::chrono::milliseconds generous_deadline(const Rig& rig, const ProblemSetup& setup, std::size_t launches) {
  if (rig.device().kind == DeviceKind::emulated) return kEmulatedRunDeadline;
  const double ms = std::max(2000.0, setup.plan.minimum_us * static_cast<double>(launches));
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms + 10 * rig.runner().problem_ready().prepare_ms)) +
         std::chrono::seconds(10);
}

std::vector<std::uint32_t> all_recipes(const ProblemPlan& plan) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < plan.recipes.size(); ++i) all.push_back(i);
  return all;
}

std::vector<std::uint32_t> quick_recipes(const ProblemPlan& plan) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < plan.recipes.size(); ++i) {
    if (plan.recipes[i].name == "normal" || plan.recipes[i].name == "small_integer") chosen.push_back(i);
  }
  for (std::uint32_t i = 0; chosen.empty() && i < std::min<std::size_t>(2, plan.recipes.size()); ++i)
    chosen.push_back(i);
  return chosen;
}

}  // namespace kerlab::session
