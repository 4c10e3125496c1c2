#include "session/run/elsewhere.h"

#include <algorithm>
#include <utility>

#include "session/run/compile_ahead.h"
#include "session/shapes/adversarial.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/thin.h"
#include "spec/recordings.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kProblemsElsewhere = 14;
constexpr std::size_t kFarOfWinner = 2;
constexpr std::string_view kFarHint = "; a tensor has more than 2^31 elements: is an offset kept in 32 bits?";

/// What tells that something is missing, doubled or elsewhere: numbers drawn, and those that must agree bit for bit.
std::vector<std::uint32_t> telling_recipes(const ProblemPlan& plan) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < plan.recipes.size(); ++i)
    if (i == 0 || plan.recipes[i].plain() || plan.recipes[i].exact) chosen.push_back(i);
  return chosen;
}

/// A problem, the device that its plan is made for, and how it is looked at there.
struct Elsewhere {
  Problem problem;
  DeviceInfo device;
  Thoroughness thoroughness = Thoroughness::usual;
};

std::vector<Elsewhere> problems_elsewhere(const ShapedKernel& kernel, const Problem& asked) {
  std::vector<Elsewhere> problems;
  if (kernel.family.accuracy.against_recordings) {
    for (Problem& problem : recorded_elsewhere(kernel.family, asked, true)) {
      const Thoroughness thoroughness = thoroughness_of(problem);
      if (device_of_any(kernel.variant, problem, kernel.configuration, kernel.device))
        problems.push_back({std::move(problem), kernel.device, thoroughness});
    }
    return problems;
  }
  ShapeLimits limits = limits_for(kernel.device);
  limits.shapes = kProblemsElsewhere;
  limits.with_flags = 0;  // other flags are other problems, with winners of their own
  for (const CheckedProblem& one : adversarial_shapes(kernel, asked, limits).problems) {
    if (one.configuration) continue;  // of another that is not the winner
    Problem problem = make_problem(kernel.family, one.request);
    if (problem.key() == asked.key()) continue;
    if (auto device = device_for(kernel, problem, one.sms))
      problems.push_back({std::move(problem), std::move(*device), one.thoroughness});
  }
  return problems;
}

std::vector<std::uint32_t> recipes_elsewhere(const ProblemPlan& plan, Thoroughness thoroughness) {
  switch (thoroughness) {
    case Thoroughness::thorough:
      return all_recipes(plan);
    case Thoroughness::usual:
      return telling_recipes(plan);
    case Thoroughness::quick:
    case Thoroughness::one_recipe:
      return few_recipes(plan, thoroughness);
  }
  return {};
}

Evaluation check_on(Rig& rig, const VariantSource& source, const Configuration& configuration, const Elsewhere& on) {
  ProblemSetup setup = prepare_alone(rig.folder(), on.problem, rig.device());
  ProblemLoader(rig, setup).load();
  SingleOptions single;
  single.thorough = on.thoroughness == Thoroughness::thorough;
  single.recipes = recipes_elsewhere(setup.plan, on.thoroughness);
  single.deadline = generous_deadline(rig, setup, 10 * (single.recipes.size() + 2));
  return run_single_for(rig, setup, source, configuration, single, on.device);
}

/// Kernel and reference of every problem into the cache, with all compilers at once: each is found there in its turn.
void compile_all(Rig& rig, const VariantSource& source, const Configuration& configuration,
                 const std::vector<Elsewhere>& problems, const std::vector<FarProblem>& far) {
  CompileList list(rig);
  for (const Elsewhere& one : problems) list.add(source, configuration, one.problem, one.device);
  for (const FarProblem& one : far) list.add(source, configuration, one.problem, rig.device().with_sms(one.sms));
  CompileAhead ahead(rig, list.take());
  while (ahead.step()) continue;
}

/// What is wrong beyond 2^31 elements; what cannot be told is not.
std::optional<Ending> fault_of_far(Rig& rig, const VariantSource& source, const Configuration& configuration,
                                   const std::vector<FarProblem>& problems) {
  for (const FarProblem& far : problems) {
    std::string why_not;
    const auto found = check_far(rig, source, configuration, far, why_not);
    if (found && !found->passed())
      return Ending{found->candidate.trial.status,
                    fmt::format("on {}: {}", far.problem.title(), found->candidate.trial.message)};
  }
  return std::nullopt;
}

}  // namespace

std::string why_no_plan(const KernelFolder& folder, const Variant& variant, const Problem& problem,
                        const Configuration& configuration, const DeviceInfo& device) {
  if (!is_valid_on(variant, problem, device, configuration)) return {};
  try {
    instantiate_reference(folder.family, problem, device);
    instantiate(folder.family, variant, problem, configuration, device);
  } catch (const SpecError& error) {
    return error.what();
  }
  return {};
}

std::optional<Evaluation> check_far(Rig& rig, const VariantSource& source, const Configuration& configuration,
                                    const FarProblem& far, std::string& why_not) {
  try {
    ProblemSetup setup = prepare_alone(rig.folder(), far.problem, rig.device());
    ProblemLoader(rig, setup).load();
    SingleOptions single;
    single.recipes = quick_recipes(setup.plan);
    single.deadline = generous_deadline(rig, setup, 10 * (single.recipes.size() + 2));
    Evaluation found = run_single_for(rig, setup, source, configuration, single, rig.device().with_sms(far.sms));
    const TrialStatus status = found.candidate.trial.status;
    if (status != TrialStatus::passed) found.candidate.trial.message += kFarHint;
    if (status != TrialStatus::unsupported && status != TrialStatus::out_of_memory) return found;
    why_not = found.candidate.trial.message;
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    why_not = error.what();
  }
  return std::nullopt;
}

std::vector<Problem> recorded_elsewhere(const Family& family, const Problem& asked, bool same_flags) {
  std::vector<Problem> problems;
  if (!family.accuracy.against_recordings) return problems;
  for (const std::string& key : recorded_keys(family)) {
    Problem problem = make_problem(family, request_of_key(family, key));
    const bool same = !same_flags || (problem.flags == asked.flags && problem.scalars == asked.scalars);
    if (same && problem.dtype == asked.dtype && problem.key() != asked.key() && why_unrecorded(family, problem).empty())
      problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<std::uint32_t> few_recipes(const ProblemPlan& plan, Thoroughness thoroughness) {
  std::vector<std::uint32_t> chosen = quick_recipes(plan);
  if (thoroughness == Thoroughness::one_recipe) {
    chosen.resize(1);
    return chosen;
  }
  for (std::uint32_t i = 0; i < plan.recipes.size(); ++i)
    if ((plan.recipes[i].name == "equal" || plan.recipes[i].integers == "equal" ||
         plan.recipes[i].integers == "ends") &&
        std::find(chosen.begin(), chosen.end(), i) == chosen.end())
      chosen.push_back(i);
  return chosen;
}

std::optional<Ending> fault_elsewhere(Rig& rig, const VariantSource& source, const Configuration& configuration,
                                      const Problem& asked) {
  if (rig.device().is_scripted) return std::nullopt;  // it would say the same of any problem
  const Family& family = rig.folder().family;
  const std::vector<Elsewhere> problems =
      problems_elsewhere({family, *source.variant, configuration, rig.device()}, asked);
  std::vector<FarProblem> far;
  if (rig.device().executes_samples && !family.accuracy.against_recordings)
    far = far_problems({family, *source.variant, configuration, rig.device()}, asked, kFarOfWinner).problems;
  compile_all(rig, source, configuration, problems, far);
  for (const Elsewhere& one : problems) {
    const auto& [problem, device, thoroughness] = one;
    if (!why_no_plan(rig.folder(), *source.variant, problem, configuration, device).empty()) continue;
    const Trial trial = check_on(rig, source, configuration, one).candidate.trial;
    if (trial.status == TrialStatus::passed) continue;
    const std::string as_for =
        device.sms < rig.device().sms ? fmt::format(", as for {} multiprocessors", device.sms) : std::string();
    return Ending{trial.status, fmt::format("on {}{}: {}", problem.title(), as_for, trial.message)};
  }
  return fault_of_far(rig, source, configuration, far);
}

}  // namespace kerlab::session
