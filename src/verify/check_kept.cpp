// Checker: what kernels may remember from run to run.
#include <algorithm>

#include "verify/check_run.h"

namespace kerlab::verify {
namespace {

constexpr double kLongestRowUs = 250'000;  // of launches in a row: a slow kernel gets fewer

void add(CheckReport& report, CheckReport other) {
  for (RecipeReport& one : other.recipes) report.recipes.push_back(std::move(one));
  report.guard_violation = std::move(other.guard_violation);
  report.input_modified = std::move(other.input_modified);
}

}  // namespace

void Checker::look_for_memory(Candidate& candidate, const CheckWishes& wishes, CheckReport& report) {
  add(report, check_fresh(candidate, ProblemData::Fresh::check));
  if (!report.passed()) return;
  tell_progress(wishes);
  const double affordable = kLongestRowUs / std::max(report.first_us, 1.0);
  add(report, check_kept(candidate, static_cast<int>(std::clamp(affordable, 2.0, 1.0 * kLaunchesInARow))));
}

CheckReport Checker::check_kept(Candidate& candidate, int launches) {
  CheckReport report = check_kept_once(candidate, launches);
  if (report.passed() || data_.expected_intact(data_.fresh_recipe(ProblemData::Fresh::changed))) return report;
  return check_kept_once(candidate, launches);  // nobody is blamed for another's damage
}

CheckReport Checker::check_kept_once(Candidate& candidate, int launches) {
  Run run;
  run.recipe = data_.fresh_recipe(ProblemData::Fresh::changed);
  // Before the launches: all of it fills the set.
  run.input_hashes = data_.input_hashes(run.recipe);
  run.expected = &data_.expected(run.recipe);
  run.poisons = {kPoisonNan};
  run.compared = 1;
  run.untouched = true;
  data_.refill(0, 0);
  const std::vector<BoundLaunch> restores = data_.restore_launches(0, 0);
  for (int i = 0; i < launches; ++i) {
    for (const BoundLaunch& launch : restores) data_.device().launch(launch);
    candidate.run(0, LaunchMode::check);
  }
  data_.refill(0, run.recipe);
  std::vector<Run> runs;
  runs.push_back(std::move(run));
  CheckReport report = check_runs(candidate, std::move(runs), {});
  data_.distrust(0);
  return report;
}

}  // namespace kerlab::verify
