#include "verify/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "verify/explain.h"
#include "verify/input/inputs.h"

namespace kerlab::verify {
namespace {

constexpr std::size_t kMostPlaces = 8;

bool is_wrong(const Judgement& judgement) {
  return !(judgement.error <= 1);  // NaN, too
}

/// Of a mistake of the checker: no candidate is to blame.
void require_sound(const ReferencePlan& plan, std::int64_t index, const Judgement& judgement) {
  const auto fail = [&](const std::string& what) {
    throw ReferenceFault(FaultKind::other,
                         fmt::format("the reference: checker '{}' of '{}': {}", plan.launch.kernel, plan.output, what),
                         false);
  };
  if (std::isnan(judgement.error) && judgement.code == -1)
    fail(fmt::format("it wrote no error for index {}; error[j] and code[j] are needed for every j < count", index));
  const auto codes = static_cast<std::int64_t>(plan.codes.size());
  if (is_wrong(judgement) && (judgement.code < 0 || judgement.code >= codes))
    fail(fmt::format("code {} of index {} has no text; codes = [...] has {}", judgement.code, index, codes));
}

/// "[3, 0..7]": the outputs that an index stands for.
std::string place_of(const Tensor& output, std::int64_t per_index, std::int64_t index) {
  const std::string first = place_in(output, index * per_index);
  if (per_index == 1) return first;
  return fmt::format("{} .. {}", first, place_in(output, (index + 1) * per_index - 1));
}

/// "an index twice: 9, not sorted: 3"
std::string tally(const ReferencePlan& plan, const std::map<std::int32_t, std::int64_t>& counts) {
  std::vector<std::pair<std::int64_t, std::string>> rows;
  for (const auto& [code, count] : counts) rows.emplace_back(-count, plan.codes[static_cast<std::size_t>(code)]);
  std::sort(rows.begin(), rows.end());
  std::string text;
  for (const auto& [count, words] : rows) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", words, -count);
  return text;
}

}  // namespace

RecipeReport report_of_judgements(const ReferencePlan& checker, const Tensor& output, const Recipe& recipe,
                                  std::span<const Judgement> judgements, std::span<const std::int64_t> indices) {
  RecipeReport report;
  report.recipe = recipe_text(recipe);
  report.output = checker.output;
  report.compared = static_cast<std::int64_t>(judgements.size());
  report.worst_tolerance = 1;
  std::map<std::int32_t, std::int64_t> counts;
  double squares = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const Judgement& one = judgements[i];
    const std::int64_t index = indices.empty() ? static_cast<std::int64_t>(i) : indices[i];
    require_sound(checker, index, one);
    const double error = std::isnan(one.error) ? HUGE_VAL : one.error;
    if (std::isfinite(error)) squares += error * error;
    if (i == 0 || error > report.error_ratio) {
      report.error_ratio = error;
      report.worst_index = index * checker.outputs_per_index;
      worst = i;
    }
    if (!is_wrong(one)) continue;
    ++report.mismatches;
    report.nans += std::isnan(one.error) ? 1 : 0;
    ++counts[one.code];
    if (report.first.size() < kMostPlaces)
      report.first.push_back({index * checker.outputs_per_index,
                              place_of(output, checker.outputs_per_index, index) + ": " +
                                  checker.codes[static_cast<std::size_t>(one.code)],
                              one.error, 0, 1});
  }
  if (!judgements.empty()) report.rms_ratio = std::sqrt(squares / static_cast<double>(judgements.size()));
  report.worst_got = report.error_ratio;
  report.passed = report.mismatches == 0;
  if (report.passed) return report;
  const std::int64_t index = indices.empty() ? static_cast<std::int64_t>(worst) : indices[worst];
  report.cause = Cause::checker;
  report.detail =
      fmt::format("{}: {} (error {:.3g}, more than 1 is wrong)", place_of(output, checker.outputs_per_index, index),
                  checker.codes[static_cast<std::size_t>(judgements[worst].code)], judgements[worst].error);
  report.pattern =
      fmt::format("{} of {} places are wrong; {}", report.mismatches, judgements.size(), tally(checker, counts));
  return report;
}

RecipeReport judge_by_checker(ProblemData& data, std::uint32_t recipe, std::size_t reference, int set,
                              std::span<const std::int64_t> indices) {
  return report_of_judgements(data.plan().references.at(reference), data.output(reference),
                              data.plan().recipes.at(recipe), data.judge(set, reference, indices), indices);
}

}  // namespace kerlab::verify
