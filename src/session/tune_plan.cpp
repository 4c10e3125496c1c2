// --dry-run: what a session would do, without launching anything.

#include <algorithm>

#include "session/problem_setup.h"
#include "session/tune.h"
#include "spec/restrict.h"

namespace kerlab {

namespace {

/// How many it will be where the search may end by itself. `pace`: may be null.
double expected_trials(const TunePlan& plan, const Pace* pace) {
  const double most = static_cast<double>(plan.to_try);
  if (!plan.search.forecasts()) return most;
  const double typical = static_cast<double>(plan.variants.size() + kForecastPatience);
  return std::min(most, pace != nullptr ? pace->tried : typical);
}

/// From the valid configurations to those that an emulated device tries, condition by condition.
std::vector<Space::Cut> quick_cuts(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  Variant narrowed = variant;
  for (const Expression& condition : variant.quick)
    narrowed.constraints.push_back({condition.text(), "", condition, {}});
  std::vector<Space::Cut> cuts = constraint_cuts(narrowed, problem, device);
  const auto begin = cuts.end() - static_cast<std::ptrdiff_t>(std::min(cuts.size(), variant.quick.size()));
  return {begin, cuts.end()};
}

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
  plan.minimum_us = theoretical_roof(setup.problem, setup.plan, rig.device()).minimum_us;
  plan.left_out = space.left_out();
  for (const VariantSpace& variant : space.variants()) {
    const Variant& its = *variant.source.variant;
    plan.variants.push_back(
        {its.name, variant.space.raw, variant.space.count, constraint_cuts(its, setup.problem, rig.device()), {}});
    if (is_quick(options, rig.device())) plan.variants.back().quick_cuts = quick_cuts(its, setup.problem, rig.device());
  }
  plan.search = choose_search(options, space.size(), is_quick(options, rig.device()));
  plan.to_try = plan.search.trials;
  std::set<std::string> names;
  for (const TunePlan::VariantPlan& variant : plan.variants) names.insert(variant.name);
  for (const Trial& trial : database.trials(setup.plan.key, rig.device().device_class())) {
    if (is_final(trial.status) && trial.toolchain == rig.toolchain() && names.contains(trial.variant)) ++plan.stored;
  }
  const std::optional<Pace> pace = pace_of(database, family, setup.problem, rig.device(), names);
  plan.expected = expected_trials(plan, pace ? &*pace : nullptr);
  const double left = plan.expected - static_cast<double>(options.screening.fresh ? 0 : plan.stored);
  if (pace) plan.estimate_s = seconds_for(*pace, left, options.screening.time_s);
  return plan;
}

}  // namespace kerlab
