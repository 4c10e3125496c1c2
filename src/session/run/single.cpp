#include "session/run/single.h"

#include <algorithm>

#include "base/elapsed.h"
#include "session/run/elsewhere.h"

namespace kerlab::session {

namespace {

// A block that goes on for ever is ended by its budget of instructions, not by this: a check of a right kernel may take
// minutes of one core (attention over packed sequences more than four), on a busy machine several times as long.
constexpr std::chrono::minutes kEmulatedRunDeadline{60};

/// To fill so many elements under each of the recipes that are added to a family without any takes longer than all
/// else.
bool is_large(const ProblemPlan& plan) {
  constexpr std::int64_t kLargeElements = 1 << 24;
  std::int64_t elements = 0;
  for (const Tensor& tensor : plan.tensors) elements += tensor.role == Role::output ? 0 : tensor.elements();
  return elements > kLargeElements;
}

TrialCandidate made_single(const Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                           const Configuration& configuration, const DeviceInfo& device) {
  const Family& family = rig.folder().family;
  TrialCandidate candidate = make_candidate(family, source, 0, configuration, setup.problem, device, rig.toolchain());
  candidate.small_plan = small_plan(family, *source.variant, candidate, setup, rig.device());
  return candidate;
}

/// Compiles the candidate; false: there is nothing to run.
Stepped<bool> compile_single(Rig& rig, const SourceBundle& source, Evaluation& single, const SingleOptions& options) {
  TrialCandidate& candidate = single.candidate;
  if (!can_launch(candidate, rig.device())) co_return false;
  if (options.line_info) candidate.options.emplace_back("--generate-line-info");
  const Clock::time_point begin = Clock::now();
  Compilation compilation = rig.compilers().submit({source, candidate.options});
  for (rig.compilers().step(); !compilation.finished(); rig.compilers().step()) {
    co_yield "compiling";
    rig.wait();
  }
  CompileResult compiled = compilation.take();
  single.compile_s = seconds_since(begin);
  if (compiled.status != CompileStatus::ok) single.compile_log = compiled.message;
  co_return take_compiled(candidate, compiled, rig.device(), true);
}

Stepped<Evaluations> run(Rig& rig, const ProblemSetup& setup, const SourceBundle& source, Sampling sampling,
                         TrialCandidate made, SingleOptions options, std::vector<TrialCandidate> beside) {
  Evaluation single;
  single.candidate = std::move(made);
  Stepped<bool> compiling = compile_single(rig, source, single, options);
  while (compiling.step()) co_yield compiling.doing();
  if (!compiling.take()) {
    Evaluations failed;
    failed.items.push_back(std::move(single));
    co_return failed;
  }
  Protocol protocol = options;
  protocol.sampling = options.full ? Sampling::everything : options.first_launch ? Sampling::first_launch : sampling;
  protocol.fresh = !options.recipes.empty();
  std::vector<TrialCandidate> candidates = {std::move(single.candidate)};
  candidates.insert(candidates.end(), beside.begin(), beside.end());
  EvaluationRun running(rig.runner(), setup, std::move(candidates), std::move(protocol));
  std::optional<Evaluations> ended = running.poll();
  for (; !ended; ended = running.poll()) {
    co_yield "running";
    rig.wait();
  }
  ended->items.front().compile_s = single.compile_s;
  co_return std::move(*ended);
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
  return std::move(run(rig, setup, source, sampling, std::move(made), options, {}).finish().items.front());
}

Stepped<Evaluations> run_beside(Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                                const Configuration& configuration, SingleOptions options,
                                std::vector<TrialCandidate> beside) {
  return run(rig, setup, source.source, source.variant->sampling,
             made_single(rig, setup, source, configuration, rig.device()), std::move(options), std::move(beside));
}

std::chrono::milliseconds generous_deadline(const Rig& rig, const ProblemSetup& setup, std::size_t launches) {
  if (rig.device().is_slow) return kEmulatedRunDeadline;
  const double ms = std::max(2000.0, setup.plan.minimum_us * static_cast<double>(launches));
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms + 10 * rig.runner().problem_ready().prepare_ms)) +
         std::chrono::seconds(10);
}

std::vector<std::uint32_t> all_recipes(const ProblemPlan& plan) {
  const bool large = is_large(plan);
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < plan.recipes.size(); ++i)
    if (!large || plan.recipes[i].magnitude == 0) all.push_back(i);
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
