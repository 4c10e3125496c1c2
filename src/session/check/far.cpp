// CheckSession: problems with more than 2^31 elements in a tensor.

#include <algorithm>
#include <chrono>
#include <set>

#include "base/format.h"
#include "base/interrupt.h"
#include "session/check/check.h"
#include "session/run/elsewhere.h"
#include "session/shapes/far.h"
#include "session/shapes/thin.h"

namespace kerlab::session {

namespace {

std::string not_far_note(const std::string& variant, const Problem& problem, const std::string& why_not) {
  return fmt::format("{}: indices beyond 2^31 are not checked on {}: {}", variant, problem.title(), why_not);
}

/// Dimensions that go beyond 2^16 in one of them.
std::set<std::string> long_dimensions(const std::vector<Problem>& problems) {
  std::set<std::string> found;
  for (const Problem& problem : problems)
    for (const auto& [dimension, extent] : problem.dimensions)
      if (extent > kThinExtent) found.insert(dimension);
  return found;
}

}  // namespace

/// On a GPU few, whole; on an emulated device some blocks of several.
void CheckSession::add_far() {
  if (rig_.device().is_scripted) return;
  const std::set<std::string> tried = long_dimensions(problems_);
  std::set<std::size_t> done;
  for (const auto& [source, configuration] : chosen_.configurations) {
    end_interrupted_wait();
    // Of thousands of configurations the first: offsets are mostly the same in all.
    if (!done.insert(source).second && (options_.every_configuration || options_.every_value)) continue;
    const Variant& variant = *chosen_.sources[source].variant;
    const FarProblems far =
        far_problems({rig_.folder().family, variant, configuration, rig_.device()}, asked_, kMostFar, tried);
    if (!far.why_not.empty())
      notes_.push_back(fmt::format("{}: indices beyond 2^31 are {}: {}", variant.name,
                                   far.by_pitch ? "checked with wide gaps between rows alone" : "not checked",
                                   far.why_not));
    if (far.faults_alone)
      notes_.push_back(
          fmt::format("{}: indices beyond 2^31 are checked{} in some blocks of the first launch alone, for faults",
                      variant.name, far.by_pitch ? " with wide gaps between rows, and" : ""));
    if (!far.left.empty())
      notes_.push_back(
          fmt::format("{}: indices beyond 2^31 are not checked of {}", variant.name, fmt::join(far.left, ", ")));
    for (const CheckedProblem& one : far.problems)
      if (!one.configuration || options_.configuration.empty())
        add_far(one, source, one.configuration.value_or(configuration));
  }
}

void CheckSession::add_far(const CheckedProblem& far, std::size_t source, const Configuration& configuration) {
  const Variant& variant = *chosen_.sources[source].variant;
  Problem problem = make_problem(rig_.folder().family, far.request);
  const std::string why_not = why_no_plan(rig_.folder(), variant, problem, configuration, rig_.device());
  if (!why_not.empty()) {
    notes_.push_back(not_far_note(variant.name, problem, why_not));
    return;
  }
  const auto known = std::ranges::find(problems_, problem.key(), &Problem::key);
  const auto at = static_cast<std::size_t>(known - problems_.begin());
  if (known == problems_.end()) problems_.push_back(std::move(problem));
  add_job(at, source, configuration, far);
}

void CheckSession::run_far(const Job& job) {
  const VariantSource& source = chosen_.sources[job.variant];
  const auto begin = std::chrono::steady_clock::now();
  std::string why_not;
  loaded_ = SIZE_MAX;
  const Elsewhere far = {problems_[job.problem], rig_.device().with_sms(job.sms), job.thoroughness, job.executed};
  auto found = check_elsewhere(rig_, source, job.configuration, far, why_not);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (found)
    add_row(job, std::move(*found), took.count());
  else
    notes_.push_back(not_far_note(source.variant->name, problems_[job.problem], why_not));
}

}  // namespace kerlab::session
