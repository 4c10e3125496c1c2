#include "session/run/single.h"

#include <algorithm>

#include "base/elapsed.h"
#include "session/run/elsewhere.h"

namespace kerlab::session {

namespace {

constexpr std::chrono::minutes kEmulatedRunDeadline{10};

TrialCandidate made_single(const Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                           const Configuration& configuration, const DeviceInfo& device) {
  const Family& family = rig.folder().family;
  TrialCandidate candidate = make_candidate(family, source, 0, configuration, setup.problem, device, rig.toolchain());
  candidate.small_plan = small_plan(family, *source.variant, candidate, setup, rig.device());
  return candidate;
}

/// Compiles the candidate; false: there is nothing to run.
bool compile_single(Rig& rig, const SourceBundle& source, Evaluation& single, const SingleOptions& options) {
  TrialCandidate& candidate = single.candidate;
  if (!can_launch(candidate, rig.device())) return false;
  if (options.line_info) candidate.options.emplace_back("--generate-line-info");
  const Clock::time_point begin = Clock::now();
  CompileResult compiled = rig.compilers().compile({source, candidate.options});
  single.compile_s = seconds_since(begin);
  if (compiled.status != CompileStatus::ok) single.compile_log = compiled.message;
  return take_compiled(candidate, compiled, rig.device(), true);
}

Evaluations run(Rig& rig, const ProblemSetup& setup, const SourceBundle& source, Sampling sampling, TrialCandidate made,
                const SingleOptions& options, const std::vector<TrialCandidate>& beside) {
  Evaluation single;
  single.candidate = std::move(made);
  if (!compile_single(rig, source, single, options)) {
    Evaluations ended;
    ended.items.push_back(std::move(single));
    return ended;
  }
  Protocol protocol = options;
  protocol.sampling = options.full ? Sampling::everything : sampling;
  protocol.fresh = !options.recipes.empty();
  std::vector<TrialCandidate> candidates = {std::move(single.candidate)};
  candidates.insert(candidates.end(), beside.begin(), beside.end());
  Evaluations ended = evaluate(rig, setup, std::move(candidates), std::move(protocol));
  ended.items.front().compile_s = single.compile_s;
  return ended;
}

}  // namespace

Evaluation run_single(Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                      const Configuration& configuration, const SingleOptions& options) {
  return run_single_for(rig, setup, source, configuration, options, rig.device());
}

Evaluation run_single_for(Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                          const Configuration& configuration, const SingleOptions& options, const DeviceInfo& device) {
  return run_candidate(rig, setup, source.source, source.variant->sampling,
                       made_single(rig, setup, source, configuration, device), options);
}

Evaluation run_candidate(Rig& rig, const ProblemSetup& setup, const SourceBundle& source, Sampling sampling,
                         TrialCandidate made, const SingleOptions& options) {
  return std::move(run(rig, setup, source, sampling, std::move(made), options, {}).items.front());
}

Evaluations run_beside(Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                       const Configuration& configuration, const SingleOptions& options,
                       const std::vector<TrialCandidate>& beside) {
  return run(rig, setup, source.source, source.variant->sampling,
             made_single(rig, setup, source, configuration, rig.device()), options, beside);
}

std::chrono::milliseconds generous_deadline(const Rig& rig, const ProblemSetup& setup, std::size_t launches) {
  if (rig.device().is_slow) return kEmulatedRunDeadline;
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
