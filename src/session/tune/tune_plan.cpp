// --dry-run: what a session would do, without launching anything.

#include <algorithm>
#include <map>
#include <set>

#include "session/run/problem_setup.h"
#include "session/tune/starts.h"
#include "session/tune/tune.h"
#include "spec/space/restrict.h"

namespace kerlab::session {

namespace {

/// Candidates of the space of which today's source has a result, by index.
std::set<std::size_t> stored_candidates(const CandidateSpace& space, const ProblemSetup& setup, const Rig& rig,
                                        const Database& database) {
  std::map<std::string, std::string> sources;
  for (const VariantSpace& variant : space.variants())
    sources.emplace(variant.source.variant->name, variant.source.source.hash);
  std::set<std::size_t> stored;
  for (const Trial& trial : database.trials(setup.plan.key, rig.device().device_class())) {
    const auto source = sources.find(trial.variant);
    if (source == sources.end() || source->second != trial.source_hash) continue;
    if (!is_final(trial.status) || trial.toolchain != rig.toolchain()) continue;
    if (const auto index = space.find(trial.variant, trial.configuration)) stored.insert(*index);
  }
  return stored;
}

/// What won on other problems since, and is tried first: not yet on this one.
std::size_t untried_starts(const CandidateSpace& space, const std::set<std::size_t>& stored, const Rig& rig,
                           const Problem& problem, const TuneOptions& options, const Database& database) {
  const auto find = [&](const std::string& variant, const std::string& text) { return space.find(variant, text); };
  const auto starts = transferred_starts(rig, problem, find, database, options.shipped);
  return static_cast<std::size_t>(
      std::ranges::count_if(starts, [&](std::size_t index) { return !stored.contains(index); }));
}

/// A session that ended by itself had the patience of this search, and all that it tried is stored.
bool ended_before(const TunePlan& plan, const Pace* pace) {
  return plan.search.learns() && pace != nullptr && pace->tried_here > 0 &&
         pace->tried_here >= static_cast<double>(plan.search.patience) &&
         static_cast<double>(plan.stored) >= pace->tried_here;
}

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
  const std::set<std::size_t> stored =
      options.screening.fresh ? std::set<std::size_t>() : stored_candidates(space, setup, rig, database);
  plan.stored = stored.size();
  const std::optional<Pace> pace = pace_of(database, family, setup.problem, rig.device(), names);
  plan.expected = expected_trials(plan, pace ? &*pace : nullptr);
  if (ended_before(plan, pace ? &*pace : nullptr))
    plan.expected =
        static_cast<double>(plan.stored + untried_starts(space, stored, rig, setup.problem, options, database));
  const double left = plan.expected - static_cast<double>(plan.stored);
  if (pace) plan.estimate_s = seconds_for(*pace, left, options.screening.time_s, rig.device());
  return plan;
}

}  // namespace kerlab::session
