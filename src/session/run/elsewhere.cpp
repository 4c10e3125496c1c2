#include "session/run/elsewhere.h"

#include <set>

#include "session/run/compile_ahead.h"
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

/// Kernel and reference of every problem into the cache, with all compilers at once: each is found there in its turn.
void compile_all(Rig& rig, const VariantSource& source, const Configuration& configuration,
                 const std::vector<Problem>& problems) {
  if (!rig.uses_cache()) return;
  const Family& family = rig.folder().family;
  const SourceBundle reference = read_kernel_source(family.reference_source);
  std::set<std::vector<std::string>> known;
  std::vector<CompileRequest> requests;
  const auto add = [&](const SourceBundle& text, std::vector<std::string> options) {
    std::vector<std::string> identity = options;
    identity.push_back(text.hash);
    if (known.insert(std::move(identity)).second) requests.push_back({text, std::move(options)});
  };
  for (const Problem& problem : problems) {
    const auto few = device_of_few(family, *source.variant, problem, configuration, rig.device());
    add(source.source,
        make_candidate(family, source, 0, configuration, problem, few ? *few : rig.device(), rig.toolchain()).options);
    add(reference, reference_options(rig.device(), instantiate_reference(family, problem, rig.device()).defines));
  }
  CompileAhead ahead(rig, std::move(requests));
  while (ahead.step()) continue;
}

}  // namespace

std::optional<Ending> fault_elsewhere(Rig& rig, const VariantSource& source, const Configuration& configuration,
                                      const Problem& asked) {
  if (rig.device().is_scripted) return std::nullopt;  // it would say the same of any problem
  const Family& family = rig.folder().family;
  const std::vector<Problem> problems =
      problems_elsewhere({family, *source.variant, configuration, rig.device()}, asked);
  compile_all(rig, source, configuration, problems);
  for (const Problem& problem : problems) {
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
