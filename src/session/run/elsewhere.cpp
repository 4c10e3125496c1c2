#include "session/run/elsewhere.h"

#include "session/shapes/adversarial.h"
#include "session/shapes/few_sms.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kProblemsElsewhere = 14;

/// What tells that something is missing, doubled or elsewhere: numbers drawn, and those that must agree bit for bit.
std::vector<std::uint32_t> telling_recipes(const ProblemPlan& plan) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < plan.recipes.size(); ++i)
    if (i == 0 || plan.recipes[i].plain() || plan.recipes[i].exact) chosen.push_back(i);
  return chosen;
}

std::vector<Problem> problems_elsewhere(const ShapedKernel& kernel, const Problem& asked) {
  ShapeLimits limits = limits_for(kernel.device);
  limits.shapes = kProblemsElsewhere;
  limits.with_flags = 0;  // other flags are other problems, with winners of their own
  std::vector<Problem> problems;
  for (const ProblemRequest& request : adversarial_shapes(kernel, asked, limits).shapes) {
    Problem problem = make_problem(kernel.family, request);
    if (problem.key() != asked.key()) problems.push_back(std::move(problem));
  }
  return problems;
}

Evaluation check_on(Rig& rig, const VariantSource& source, const Configuration& configuration, const Problem& problem,
                    const DeviceInfo& device) {
  const ProblemSetup setup = prepare_alone(rig.folder(), problem, rig.device());
  ProblemLoader(rig, setup).load();
  SingleOptions single;
  single.recipes = telling_recipes(setup.plan);
  single.deadline = generous_deadline(rig, setup, 10 * (single.recipes.size() + 2));
  return run_single_for(rig, setup, source, configuration, single, device);
}

}  // namespace

std::optional<Ending> fault_elsewhere(Rig& rig, const VariantSource& source, const Configuration& configuration,
                                      const Problem& asked) {
  if (rig.device().is_scripted) return std::nullopt;  // it would say the same of any problem
  const Family& family = rig.folder().family;
  for (const Problem& problem : problems_elsewhere({family, *source.variant, configuration, rig.device()}, asked)) {
    const auto few = device_of_few(family, *source.variant, problem, configuration, rig.device());
    const Trial trial = check_on(rig, source, configuration, problem, few ? *few : rig.device()).candidate.trial;
    if (trial.status == TrialStatus::passed) continue;
    return Ending{
        trial.status,
        fmt::format("on {}{}: {}", problem.title(),
                    few && *few != rig.device() ? fmt::format(", as for {} multiprocessors", few->sms) : std::string(),
                    trial.message)};
  }
  return std::nullopt;
}

}  // namespace kerlab::session
