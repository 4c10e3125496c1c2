#include "session/run/elsewhere.h"

#include <algorithm>
#include <utility>

#include "session/run/compile_ahead.h"
#include "session/shapes/adversarial.h"
#include "session/shapes/far.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/thin.h"
#include "spec/recordings.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kProblemsElsewhere = 14;
constexpr std::size_t kFarOfWinner = 2;
constexpr std::string_view kFarHint = "; a tensor has more than 2^31 elements: is an offset kept in 32 bits?";

// Of an emulated device: every recipe of a larger one would make a tune of attention minutes longer.
constexpr double kFlopsForAll = 4e6;

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
  bool sampled = false;
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
  if (!kernel.device.executes_samples) return problems;
  for (const CheckedProblem& one : far_problems(kernel, asked, kFarOfWinner).problems)
    problems.push_back({make_problem(kernel.family, one.request),
                        kernel.device.with_sms(one.sms.value_or(kernel.device.sms)), one.thoroughness, one.sampled});
  return problems;
}

std::vector<std::uint32_t> recipes_elsewhere(const Family& family, const ProblemPlan& plan, const Elsewhere& on) {
  switch (on.thoroughness) {
    case Thoroughness::thorough:
      return all_recipes(plan);
    case Thoroughness::usual:  // what is wrong for special values may be so at one extent alone
      return on.device.is_slow && flops_of(family, on.problem) > kFlopsForAll ? telling_recipes(plan)
                                                                              : all_recipes(plan);
    case Thoroughness::quick:
    case Thoroughness::one_recipe:
      return few_recipes(plan, on.thoroughness);
  }
  return {};
}

Evaluation check_on(Rig& rig, const VariantSource& source, const Configuration& configuration, const Elsewhere& on) {
  ProblemSetup setup = prepare_alone(rig.folder(), on.problem, rig.device());
  ProblemLoader(rig, setup).load();
  SingleOptions single;
  single.thorough = on.thoroughness == Thoroughness::thorough;
  single.recipes = recipes_elsewhere(rig.folder().family, setup.plan, on);
  single.deadline = generous_deadline(rig, setup, 10 * (single.recipes.size() + 2));
  return run_single_for(rig, setup, source, configuration, single, on.device);
}

/// Kernel and reference of every problem into the cache, with all compilers at once: each is found there in its turn.
void compile_all(Rig& rig, const VariantSource& source, const Configuration& configuration,
                 const std::vector<Elsewhere>& problems) {
  CompileList list(rig);
  for (const Elsewhere& one : problems) list.add(source, configuration, one.problem, one.device);
  CompileAhead ahead(rig, list.take());
  while (ahead.step()) continue;
}

/// None: that cannot be told, for there is no memory for it, say.
std::optional<Evaluation> evaluate_on(Rig& rig, const VariantSource& source, const Configuration& configuration,
                                      const Elsewhere& on) {
  std::string why_not;
  if (on.sampled) return check_far(rig, source, configuration, on.problem, on.device.sms, why_not);
  if (!why_no_plan(rig.folder(), *source.variant, on.problem, configuration, on.device).empty()) return std::nullopt;
  try {
    Evaluation found = check_on(rig, source, configuration, on);
    if (found.candidate.trial.status != TrialStatus::out_of_memory) return found;
  } catch (const NoMemoryError&) {
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
                                    const Problem& problem, int sms, std::string& why_not) {
  try {
    ProblemSetup setup = prepare_alone(rig.folder(), problem, rig.device());
    ProblemLoader(rig, setup).load();
    SingleOptions single;
    single.recipes = quick_recipes(setup.plan);
    single.full = source.variant->sampling == Sampling::small;  // of those that do little
    single.deadline = generous_deadline(rig, setup, 10 * (single.recipes.size() + 2));
    Evaluation found = run_single_for(rig, setup, source, configuration, single, rig.device().with_sms(sms));
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
  const std::vector<Elsewhere> problems =
      problems_elsewhere({rig.folder().family, *source.variant, configuration, rig.device()}, asked);
  compile_all(rig, source, configuration, problems);
  for (const Elsewhere& one : problems) {
    const auto found = evaluate_on(rig, source, configuration, one);
    if (!found || found->candidate.trial.status == TrialStatus::passed) continue;
    const Trial& trial = found->candidate.trial;
    const int sms = one.device.sms;
    const std::string as_for = sms < rig.device().sms ? fmt::format(", as for {} multiprocessors", sms) : std::string();
    return Ending{trial.status, fmt::format("on {}{}: {}", one.problem.title(), as_for, trial.message)};
  }
  return std::nullopt;
}

}  // namespace kerlab::session
