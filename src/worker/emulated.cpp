// Checks and counts on an emulated device.
#include <fmt/format.h>

#include "plan/shared_workspaces.h"
#include "plan/sparse_tensor.h"
#include "worker/checks.h"
#include "worker/timed_check.h"
#include "worker/workbench.h"

namespace kerlab::worker {

CheckWishes wishes_of(const request::Check& check) {
  return {check.thorough, check.nondeterministic, check.explain};
}

std::int64_t blocks_of(const LaunchPlan& plan) {
  std::int64_t blocks = 0;
  for (const Launch& launch : plan.launches) blocks += std::int64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  return blocks;
}

CheckReport with_small(CheckReport whole, const CheckReport& small) {
  whole.whole_small = small.whole_small;
  whole.recipes.insert(whole.recipes.end(), small.recipes.begin(), small.recipes.end());
  return whole;
}

/// The whole small problem, if there is one and the candidate runs there: else a report of nothing.
CheckReport Workbench::check_small(const request::Check& check) {
  CheckReport report;
  Problem& p = problem();
  if (!p.small) return report;
  const auto found = p.small->candidates.find(check.id);
  if (found == p.small->candidates.end()) return report;
  try {
    report = device_.info().executes_samples
                 ? p.small->emulated_checker.check(found->second, check.recipes, wishes_of(check), false)
                 : p.small->checker.check(found->second, check.recipes, wishes_with_progress(check));
  } catch (const ReferenceFault&) {
    throw;
  } catch (const DeviceFault& fault) {
    throw SmallProblemFault(fault.kind(), std::string(kOnSmallProblem) + fault.what(), fault.sticky());
  }
  report.whole_small = true;
  report.blocks = report.blocks_run = 0;
  for (RecipeReport& recipe : report.recipes) recipe.in_small = true;
  return report;
}

CheckReport Workbench::check_emulated(const request::Check& check) {
  CheckReport report = check_blocks(check);
  if ((check.thorough || check.hazards) && report.passed()) report.guard_violation = hazard_of(check);
  return report;
}

/// Some blocks of the problem and the whole small one, as far as asked for and possible. A candidate that can do
/// neither is executed whole.
CheckReport Workbench::check_blocks(const request::Check& check) {
  Problem& p = problem();
  Candidate& whole = candidate(check.id);
  if (check.sampling == Sampling::first_launch) return p.emulated_checker.check_first_launch(whole);
  const bool cheap = is_executed_whole(p.data.plan().flops, p.data.plan().bytes);
  if (check.sampling == Sampling::everything || cheap)
    return p.emulated_checker.check(whole, check.recipes, wishes_of(check), false);
  const CheckReport small = check_small(check);
  if (small.whole_small && !small.passed()) return small;
  const bool sparse = has_sparse_tensors(p.data.plan());
  // The norm of a matrix is known of all of it only, and some checkers judge all of an output at once.
  bool at_once = whole.plan().accuracy.normwise;
  for (std::size_t i = 0; i < p.data.plan().references.size(); ++i) at_once = at_once || p.data.judged_as_one(i);
  const bool independent =
      !at_once && (check.sampling == Sampling::blocks || whole.can_be_sampled(sparse ? kUnusedWorkspace : 0));
  const bool sampled = check.sampling != Sampling::small && independent;
  if (small.whole_small && !sampled) return small;
  if (!sampled && sparse)
    throw DeviceFault(FaultKind::unsupported,
                      "its blocks depend on each other, and the problem is too large to be executed whole", false);
  return with_small(p.emulated_checker.check(whole, check.recipes, wishes_of(check), sampled), small);
}

/// What a run executes, from some of its blocks; and whether what they write is right: a kernel may know that it has
/// been checked before.
std::vector<SampleSet> Workbench::count(const request::Time& time) {
  Problem& p = problem();
  const int data = p.data.set_with(0);
  std::vector<SampleSet> samples;
  for (const std::uint32_t id : time.ids) {
    Candidate& c = candidate(id);
    SampleSet& set = samples.emplace_back();
    set.id = id;
    set.protocol = "counts";
    set.clock = ClockKind::modelled;
    const std::vector<BoundLaunch>& launches = c.launches(data);
    std::vector<LaunchReport> reports;
    const CheckReport checked =
        p.emulated_checker.check_counted(c, p.data.has_reference() && !c.plan().accuracy.normwise, reports);
    set.guard_violation = checked.guard_violation.empty() ? what_is_wrong(checked) : checked.guard_violation;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      set.launches.push_back({launches[i].kernel,
                              launches[i].grid,
                              launches[i].block,
                              launches[i].dynamic_shared,
                              reports[i].blocks,
                              reports[i].blocks_run,
                              reports[i].counts,
                              reports[i].stretches,
                              reports[i].traffic,
                              {}});
      set.launches.back().cluster = launches[i].cluster;
      set.launches.back().pipeline = reports[i].pipeline;
      set.launches.back().in_graph = c.plan().start == Start::graph && i > 0;
      if (time.lines) set.launches.back().lines = reports[i].lines;
    }
  }
  return samples;
}

}  // namespace kerlab::worker
