// The verdict: the only place that decides by reports and samples how a candidate has ended.

#include <algorithm>

#include "measure/cross_check.h"
#include "session/run/evaluation.h"
#include "stats/samples.h"

namespace kerlab::session {

namespace {

constexpr double kImpossiblyFast = 0.98;  // of the theoretical roof

bool failed(const std::optional<CheckReport>& report) {
  return report && judge(*report).status != TrialStatus::passed;
}

/// What timing a kernel has shown about it, besides how long it takes.
Ending judge_samples(const std::optional<SampleSet>& samples, const ProblemPlan& plan) {
  const std::optional<double> us = samples ? median(samples->samples_us) : std::nullopt;
  if (!us) return {TrialStatus::launch_failed, "the worker sent no samples"};
  if (!samples->guard_violation.empty())
    return {TrialStatus::guard_violation, fmt::format("after timing: {}", samples->guard_violation)};
  if (samples->host_ratio >= kHostDisagrees)
    return {TrialStatus::impossible_time,
            fmt::format("the device was busy {:.2f} times as long as the kernel's stream: it works where events do not "
                        "see it",
                        samples->host_ratio)};
  if (*us < kImpossiblyFast * plan.minimum_us)
    return {TrialStatus::impossible_time,
            fmt::format("{:.4g} us is faster than the theoretical roof of {:.4g} us", *us, plan.minimum_us)};
  return {};
}

}  // namespace

Ending judge(const CheckReport& report) {
  const std::string_view where = report.only_small() ? kOnSmallProblem : "";
  const TrialReason reason = report.only_small() ? TrialReason::small_problem : TrialReason::none;
  if (!report.guard_violation.empty())
    return {TrialStatus::guard_violation, fmt::format("{}{}", where, report.guard_violation), reason};
  if (!report.input_modified.empty())
    return {TrialStatus::input_modified, fmt::format("{}input {} was modified", where, report.input_modified), reason};
  // Whoever says what it holds tells more than whoever comes first.
  const RecipeReport* told = nullptr;
  for (const RecipeReport& recipe : report.recipes)
    if (!recipe.passed && (told == nullptr || (told->culprit.empty() && !recipe.culprit.empty()))) told = &recipe;
  if (told != nullptr) {
    std::string text =
        fmt::format("{}{}, recipe {}: {} of {} wrong{}; {}", where, told->output, told->recipe, told->mismatches,
                    told->compared, told->nans > 0 ? fmt::format(" ({} NaN)", told->nans) : "", told->detail);
    for (const std::string& more : {told->pattern, told->culprit})
      if (!more.empty()) text += "; " + more;
    return {TrialStatus::wrong, std::move(text), reason};
  }
  if (!report.passed()) return {TrialStatus::wrong, "the check did not pass"};
  return {};
}

Ending judge(const Loadable& item, std::size_t index, const RunOutcome& outcome, const Protocol& protocol,
             const ProblemPlan& plan) {
  const ItemOutcome& seen = outcome.items.at(index);
  if (failed(seen.check)) return judge(*seen.check);
  if (failed(seen.fresh)) {
    Ending ending = judge(*seen.fresh);
    return {ending.status, "checked after timing, on data that it had not seen: " + ending.message, ending.reason};
  }
  if (outcome.status != TrialStatus::passed && outcome.culprit.value_or(index) == index)
    return {outcome.status, outcome.message, outcome.reason};
  const bool checked_again = seen.fresh || item.checked;
  const bool cut_short =
      outcome.status != TrialStatus::passed || std::ranges::any_of(outcome.items, [&](const ItemOutcome& other) {
        return failed(other.check) || (failed(other.fresh) && !checked_again);
      });
  if (cut_short) return {TrialStatus::interrupted, "another one ended the run"};
  return protocol.schedule ? judge_samples(seen.samples, plan) : Ending{};
}

}  // namespace kerlab::session
