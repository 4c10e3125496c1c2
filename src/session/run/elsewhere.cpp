#include "session/run/elsewhere.h"

#include <algorithm>
#include <utility>

#include "plan/sparse_tensor.h"
#include "session/run/compile_ahead.h"
#include "session/shapes/adversarial.h"
#include "session/shapes/checked_problem.h"
#include "session/shapes/far.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/thin.h"
#include "spec/recordings.h"
#include "spec/space/unsupported.h"

namespace kerlab::session {

namespace {

constexpr std::string_view kFarHint = "; a tensor has more than 2^31 elements: is an offset kept in 32 bits?";

std::vector<Elsewhere> problems_elsewhere(const ShapedKernel& kernel, const Problem& asked) {
  std::vector<Elsewhere> problems;
  const ShapeLimits limits = limits_for_winner(kernel.device);
  if (kernel.family.accuracy.against_recordings) {
    for (Problem& problem : recorded_elsewhere(kernel.family, asked, true)) {
      const Thoroughness thoroughness = thoroughness_of(kernel, problem, limits);
      if (device_of_any(kernel.variant, problem, kernel.configuration, kernel.device))
        problems.push_back({std::move(problem), kernel.device, thoroughness});
    }
    return problems;
  }
  for (const CheckedProblem& one : adversarial_shapes(kernel, asked, limits).problems) {
    if (one.configuration) continue;  // of another that is not the winner
    Problem problem = make_problem(kernel.family, one.request);
    if (problem.key() == asked.key()) continue;
    if (auto device = device_for(kernel, problem, one.sms))
      problems.push_back({std::move(problem), std::move(*device), one.thoroughness});
  }
  if (!kernel.device.executes_samples) return problems;
  for (const CheckedProblem& one : far_problems(kernel, asked, kMostFar).problems) {
    if (one.configuration) continue;
    problems.push_back({make_problem(kernel.family, one.request),
                        kernel.device.with_sms(one.sms.value_or(kernel.device.sms)), one.thoroughness, one.executed});
  }
  return problems;
}

/// What tells that something is missing, doubled or elsewhere: numbers drawn, and those that must agree bit for bit.
std::vector<std::uint32_t> telling_recipes(const ProblemPlan& plan) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < plan.recipes.size(); ++i)
    if (i == 0 || plan.recipes[i].plain() || plan.recipes[i].exact) chosen.push_back(i);
  return chosen;
}

bool writes_integers(const ProblemPlan& plan) {
  return std::ranges::none_of(plan.tensors,
                              [](const Tensor& t) { return t.role != Role::input && info(t.dtype).is_float; });
}

bool is_of_one_sign(const Recipe& recipe) {
  return std::ranges::any_of(recipe.plants, [](const Plant& plant) { return plant.what == "shift"; });
}

/// What is missing shows in any numbers drawn, what a narrow counter loses where all are equal, and what a float loses
/// of an integer where all are of one sign: their sum is long.
std::vector<std::uint32_t> drawn_or_equal_recipes(const ProblemPlan& plan) {
  std::vector<std::uint32_t> chosen = quick_recipes(plan);
  for (std::uint32_t i = 0; i < plan.recipes.size(); ++i) {
    const Recipe& recipe = plan.recipes[i];
    const bool is_equal = recipe.name == "equal" || recipe.integers == "equal" || recipe.integers == "ends";
    const bool tells = is_equal || (writes_integers(plan) && is_of_one_sign(recipe));
    if (tells && std::ranges::count(chosen, i) == 0) chosen.push_back(i);
  }
  return chosen;
}

Evaluation run_there(Rig& rig, const VariantSource& source, const Configuration& configuration, const Elsewhere& on) {
  ProblemSetup setup = prepare_alone(rig.folder(), on.problem, rig.device());
  ProblemLoader(rig, setup).load();
  SingleOptions single;
  single.thorough = on.thoroughness == Thoroughness::thorough;
  const bool far = on.executed != Executed::as_usual;
  single.hazards = !far;  // as a check does
  single.recipes = recipes_of(setup.plan, on.thoroughness);
  single.first_launch = on.executed == Executed::first_launch;
  single.full = on.executed == Executed::some_blocks && source.variant->sampling == Sampling::small;
  single.deadline = generous_deadline(rig, setup, 10 * (single.recipes.size() + 2));
  Evaluation found = run_single_for(rig, setup, source, configuration, single, on.device);
  const TrialStatus status = found.candidate.trial.status;
  const auto is_far = [](const Tensor& tensor) { return tensor.elements() > kFarElements / 2; };
  if (far && std::ranges::any_of(setup.plan.tensors, is_far) && status != TrialStatus::passed && !never_ran(status))
    found.candidate.trial.message += kFarHint;
  return found;
}

/// Kernel and reference of every problem into the cache, with all compilers at once: each is found there in its turn.
void compile_all(Rig& rig, const VariantSource& source, const Configuration& configuration,
                 const std::vector<Elsewhere>& problems) {
  CompileList list(rig);
  for (const Elsewhere& one : problems) list.add(source, configuration, one.problem, one.device);
  CompileAhead ahead(rig, list.take());
  while (ahead.step()) continue;
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

std::optional<Evaluation> check_elsewhere(Rig& rig, const VariantSource& source, const Configuration& configuration,
                                          const Elsewhere& on, std::string& why_not) {
  why_not = why_no_plan(rig.folder(), *source.variant, on.problem, configuration, on.device);
  if (!why_not.empty()) return std::nullopt;
  const bool far = on.executed != Executed::as_usual;
  try {
    Evaluation found = run_there(rig, source, configuration, on);
    const Trial& trial = found.candidate.trial;
    const bool told = trial.status != TrialStatus::out_of_memory && !(far && trial.status == TrialStatus::unsupported);
    if (told) return found;
    why_not = trial.message;
  } catch (const NoMemoryError& error) {
    why_not = error.what();
  } catch (const Error& error) {
    if (!far || error.code() == ExitCode::interrupted) throw;
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

std::vector<std::uint32_t> recipes_of(const ProblemPlan& plan, Thoroughness thoroughness) {
  switch (thoroughness) {
    case Thoroughness::one_recipe:
    case Thoroughness::drawn: {
      std::vector<std::uint32_t> chosen = quick_recipes(plan);
      if (thoroughness == Thoroughness::one_recipe) chosen.resize(1);
      return chosen;
    }
    case Thoroughness::quick:
      return drawn_or_equal_recipes(plan);
    case Thoroughness::telling:
      return telling_recipes(plan);
    case Thoroughness::usual:  // what is wrong for special values may be so at one extent alone
    case Thoroughness::thorough:
      return all_recipes(plan);
  }
  return {};
}

std::optional<Ending> fault_elsewhere(Rig& rig, const VariantSource& source, const Configuration& configuration,
                                      const Problem& asked) {
  if (rig.device().is_scripted) return std::nullopt;  // it would say the same of any problem
  const std::vector<Elsewhere> problems =
      problems_elsewhere({rig.folder().family, *source.variant, configuration, rig.device()}, asked);
  compile_all(rig, source, configuration, problems);
  for (const Elsewhere& one : problems) {
    std::string why_not;
    const auto found = check_elsewhere(rig, source, configuration, one, why_not);
    if (!found || found->candidate.trial.status == TrialStatus::passed) continue;
    const Trial& trial = found->candidate.trial;
    const int sms = one.device.sms;
    const std::string as_for = sms < rig.device().sms ? fmt::format(", as for {} multiprocessors", sms) : std::string();
    return Ending{trial.status, fmt::format("on {}{}: {}", one.problem.title(), as_for, trial.message)};
  }
  return std::nullopt;
}

}  // namespace kerlab::session
