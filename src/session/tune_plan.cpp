// --dry-run: what a session would do, without launching anything.

#include <algorithm>

#include "session/tune.h"
#include "spec/restrict.h"

namespace kerlab {

namespace {

constexpr double kCompileSeconds = 0.4;        // of a candidate, when nothing is known
constexpr double kPerCandidateSeconds = 0.02;  // loading, filling, comparing, recording
constexpr double kSlowerThanRoof = 4;          // a typical candidate
constexpr double kRunsPerCandidate = 6;

}  // namespace

TunePlan plan_tune(const TuneOptions& options, Database& database) {
  KernelFolder folder = open_catalogue(options.rig.kernels).find(options.rig.target);
  restrict_spaces(folder, options.where, options.variants.names);
  const Rig rig(options.rig, std::move(folder));
  const Family& family = rig.folder().family;
  const ProblemRequest request = make_request(family, options.arguments, options.dtype);
  const ProblemSetup setup =
      prepare_problem(rig.folder(), problem_for_device(rig.folder(), request, rig.device()), rig.device());
  const CandidateSpace space(rig.folder(), options.variants, setup.problem, rig.device());

  TunePlan plan;
  plan.title = setup.problem.title();
  plan.device = fmt::format("{} {}", rig.device().id, rig.device_title());
  plan.flops = setup.plan.flops;
  plan.bytes = setup.plan.bytes;
  plan.minimum_us = setup.plan.minimum_us;
  plan.left_out = space.left_out();
  for (const VariantSpace& variant : space.variants()) {
    const Variant& its = *variant.source.variant;
    plan.variants.push_back(
        {its.name, variant.space.raw, variant.space.count, constraint_cuts(its, setup.problem, rig.device())});
  }
  plan.search = choose_search(options, space.size());
  plan.to_try = plan.search.trials;
  for (const Trial& trial : database.trials(setup.plan.key, rig.device().device_class())) {
    if (is_final(trial.status) && trial.toolchain == rig.toolchain()) ++plan.stored;
  }
  const double left = static_cast<double>(plan.to_try - std::min(plan.to_try, plan.stored));
  const double compile_s = left * kCompileSeconds / rig.compilers().processes();
  const double device_s = left * (kPerCandidateSeconds + kRunsPerCandidate * kSlowerThanRoof * plan.minimum_us * 1e-6);
  plan.estimate_s = std::max(compile_s, device_s / static_cast<double>(rig.devices().size())) + 1;
  return plan;
}

}  // namespace kerlab
