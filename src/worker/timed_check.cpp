#include "worker/timed_check.h"

#include <fmt/format.h>

#include "verify/check.h"
#include "verify/checker.h"
#include "verify/compare.h"
#include "verify/explain.h"
#include "verify/normwise.h"
#include "verify/verdict_words.h"

namespace kerlab::worker {
namespace {

constexpr int kReferencesOfACheck = 2;  // with fewer to spare, fresh data would cost a reference every time

std::string sentence(const RecipeReport& report) {
  std::string text = report.detail.empty() ? fmt::format("{} elements differ", report.mismatches) : report.detail;
  return fmt::format("{} is wrong ({}): {}", report.output, report.recipe, text);
}

}  // namespace

std::string what_is_wrong_untimed(const CheckReport& report) {
  if (!report.guard_violation.empty()) return report.guard_violation;
  if (!report.input_modified.empty()) return fmt::format("its input {} was modified", report.input_modified);
  for (const RecipeReport& recipe : report.recipes)
    if (!recipe.passed) return sentence(recipe);
  return {};
}

std::string what_is_wrong(const CheckReport& report) {
  if (!report.input_modified.empty())
    return fmt::format("{}its input {} was modified", kWrongWhenTimed, report.input_modified);
  for (const RecipeReport& recipe : report.recipes)
    if (!recipe.passed) return std::string(kWrongWhenTimed) + sentence(recipe);
  return {};
}

TimedCheck::TimedCheck(ProblemData& data, std::vector<Candidate*> candidates)
    : data_(data), candidates_(std::move(candidates)), reports_(data.device()) {
  if (!data_.has_reference()) return;
  const bool keeps = data_.reference_slots() > kReferencesOfACheck;
  if (keeps) fresh_ = data_.fresh_recipe(ProblemData::Fresh::after_timing);
  expected_ = &data_.expected(0);
  expected_fresh_ = keeps ? &data_.expected(fresh_) : expected_;
  for (const Candidate* candidate : candidates_) {
    const Accuracy accuracy = candidate->plan().accuracy;
    if (!accuracy.normwise) continue;
    for (const std::uint32_t recipe : {std::uint32_t{0}, fresh_})
      if (!by_norm_.contains({recipe, accuracy.may_be_nan}))
        by_norm_[{recipe, accuracy.may_be_nan}] = verify::expected_by_norm(data_, recipe, accuracy);
  }
  data_.prepare_timing();  // the reference may have had a set
  reports_.reset(2 * candidates_.size() * data_.plan().references.size(), 0, 0);
  slots_.resize(reports_.compared().size());
  for (int set = 0; set < data_.rotation_sets(); ++set) poison_outputs(data_, set, kPoisonNan);
  for (Candidate* candidate : candidates_) {
    candidate->poison_workspaces(kPoisonNan);
    candidate->make_ready(0);  // all sets that are timed hold the same
  }
}

const std::vector<Expected>& TimedCheck::expected_of(const Candidate& candidate, std::uint32_t recipe) const {
  const Accuracy accuracy = candidate.plan().accuracy;
  if (accuracy.normwise) return by_norm_.at({recipe, accuracy.may_be_nan});
  return recipe == fresh_ ? *expected_fresh_ : *expected_;
}

void TimedCheck::compare(std::size_t which, int set, std::uint32_t recipe, bool timed) {
  const std::size_t outputs = data_.plan().references.size();
  for (std::size_t output = 0; output < outputs; ++output) {
    if (data_.output(output).elements() == 0) continue;
    const std::size_t slot = (2 * which + (timed ? 1 : 0)) * outputs + output;
    slots_[slot] = {which, output, recipe, timed, true};
    if (data_.plan().references[output].checker) {
      judged_[slot] = judge_by_checker(data_, recipe, output, set);
      continue;
    }
    const DevicePtr got = data_.buffer(set, data_.output(output).name).pointer();
    const Candidate& candidate = *candidates_[which];
    queue_compare(data_, reports_, slot,
                  {recipe, output, got, &expected_of(candidate, recipe)[output], false, candidate.plan().accuracy});
  }
}

/// Of a timed launch only where nobody else is timed: others may have left what it should have written.
void TimedCheck::look(std::size_t which, int set) {
  if (expected_ == nullptr) return;
  if (candidates_.size() == 1) compare(which, set, 0, true);
  data_.refill(set, fresh_);
  poison_outputs(data_, set, kPoisonFinite);
  candidates_[which]->run(set, LaunchMode::check);
  compare(which, set, fresh_, false);
  data_.refill(set, 0);
}

std::vector<std::string> TimedCheck::read() {
  std::vector<std::string> wrong(candidates_.size());
  if (expected_ == nullptr) return wrong;
  reports_.read();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!slot.used || !wrong[slot.candidate].empty()) continue;
    const Recipe& recipe = data_.plan().recipes.at(slot.recipe);
    const auto judged = judged_.find(i);
    const RecipeReport report =
        judged != judged_.end() ? judged->second : explain(recipe, data_.output(slot.output), reports_.compared()[i]);
    // Another candidate may have damaged what is expected.
    if (report.passed || !data_.expected_intact(slot.recipe)) continue;
    wrong[slot.candidate] = fmt::format(
        "{}{}: {}", kWrongWhenTimed, slot.timed ? "a timed launch" : "a launch between timed ones", sentence(report));
  }
  return wrong;
}

}  // namespace kerlab::worker
