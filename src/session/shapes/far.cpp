#include "session/shapes/far.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "plan/sparse_tensor.h"
#include "session/shapes/far_pitched.h"
#include "session/shapes/far_strategy.h"
#include "spec/space/unsupported.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kTile = 256;  // of which long extents are multiples
constexpr std::int64_t kRest = 5;
constexpr std::size_t kMostWithFlags = 2;
constexpr std::int64_t kProbe = 1024, kLongest = std::int64_t{1} << 36;

class FarSearch {
 public:
  FarSearch(const ShapedKernel& kernel, const FarStrategy& strategy)
      : kernel_(kernel), strategy_(strategy), base_(strategy.base()) {}

  const std::vector<FarProblem>& find() {
    for (const FarTries& next : strategy_.tries()) {
      if (!found_.empty() || !(first_why_not_.empty() || strategy_.goes_on_refused())) break;
      far_elements_ = next.elements;
      for (const FarTry& one : next.tries) try_along(one.others, one.along, one.elements);
    }
    return found_;
  }

  /// One that was found, with another value of one flag alone.
  [[nodiscard]] std::vector<CheckedProblem> under_other_flags(const ProblemRequest& found) const {
    std::vector<CheckedProblem> others;
    for (const Flag& flag : kernel_.family.flags)
      for (const ProblemRequest& other : with_other_values(found, flag)) {
        auto far = far_problem(other);
        std::string why_not;
        if (!far || !strategy_.takes(*far, why_not)) continue;
        others.push_back(std::move(far->far));
        if (others.size() == kMostWithFlags) return others;
        break;
      }
    return others;
  }

  /// One that was found, with a rest behind all whole tiles and, where that is valid, behind whole accesses of all rows
  /// together. None: it is not valid.
  [[nodiscard]] std::optional<CheckedProblem> ragged(const ProblemRequest& found) const {
    for (const bool all : {true, false}) {
      ProblemRequest other = found;
      for (const Dimension& dimension : kernel_.family.dimensions) {
        std::int64_t& extent = other.dimensions.at(dimension.name);
        const bool is_long = extent > kProbe && extent % kTile == 0;
        if (is_long || (all && !dimension.quiet && extent > 1)) extent += kRest;
      }
      auto far = far_problem(other);
      std::string why_not;
      if (far && strategy_.takes(*far, why_not)) return std::move(far->far);
    }
    return std::nullopt;
  }

  /// Tensors that are far in a problem that is not among those found, with the reason of the first of them.
  [[nodiscard]] const std::map<std::string, std::string>& refused() const { return refused_; }

  /// Beside tensors of no more elements none that was found is far.
  [[nodiscard]] std::int64_t elements() const { return far_elements_; }

  /// The first that the family has and the configuration is not valid for; none: there was none.
  [[nodiscard]] const std::optional<Problem>& invalid() const { return invalid_; }

  /// Of the first problem that was refused; empty: there was none.
  [[nodiscard]] const std::string& why_not() const { return first_why_not_; }

 private:
  [[nodiscard]] std::optional<std::vector<Tensor>> tensors_with(Extents extents, const std::vector<std::string>& along,
                                                                std::int64_t extent) const {
    try {
      return tensors_of(kernel_.family, make_problem(kernel_.family, request_with(std::move(extents), along, extent)));
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  [[nodiscard]] ProblemRequest request_with(Extents extents, const std::vector<std::string>& along,
                                            std::int64_t extent) const {
    // One that ends before goes along as far as it can: rows of a sparse matrix beside far more numbers.
    for (const Dimension& dimension : kernel_.family.dimensions)
      if (std::ranges::find(along, dimension.name) != along.end())
        extents[dimension.name] = std::min(extent, dimension.maximum);
    ProblemRequest request = base_;
    request.dimensions = std::move(extents);
    return request;
  }

  /// So long that a tensor has so many elements, for each of the tensors that grow.
  void try_along(const Extents& others, const std::vector<std::string>& along, double elements) {
    const auto near = tensors_with(others, along, kProbe), farther = tensors_with(others, along, 2 * kProbe);
    if (!near || !farther || near->size() != farther->size()) return;
    for (std::size_t t = 0; t < near->size(); ++t) {
      const auto few = static_cast<double>((*near)[t].elements()), more = static_cast<double>((*farther)[t].elements());
      if (few < 1 || more < 1.5 * few) continue;
      const double degree = std::log2(more / few);
      const double extent = kProbe * std::pow(elements / few, 1 / degree);
      if (extent > static_cast<double>(kLongest)) continue;
      try_problem(request_with(others, along, (static_cast<std::int64_t>(extent) / kTile + 1) * kTile));
    }
  }

  /// None: not valid, or nothing of it is far.
  [[nodiscard]] std::optional<FarProblem> far_problem(const ProblemRequest& request) const {
    try {
      FarProblem found{strategy_.checked(request), make_problem(kernel_.family, request), {}, false, 0};
      found.goals = strategy_.goals_of(found.problem, far_elements_);
      return found.goals.empty() ? std::nullopt : std::optional(std::move(found));
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  void try_problem(const ProblemRequest& request) {
    auto found = far_problem(request);
    if (!found || !known_.insert(found->problem.key()).second) return;
    std::string why_not;
    if (strategy_.takes(*found, why_not))
      found_.push_back(std::move(*found));
    else
      refuse(*found, why_not);
  }

  void refuse(const FarProblem& found, const std::string& why_not) {
    if (why_not.empty() && !invalid_) invalid_ = found.problem;
    if (first_why_not_.empty()) first_why_not_ = why_not;
    for (const FarGoal& goal : found.goals)
      if (goal.kind == FarGoal::Kind::tensor)
        refused_.emplace(goal.name, why_not.empty() ? "the configuration is not valid there" : why_not);
  }

  const ShapedKernel& kernel_;
  const FarStrategy& strategy_;
  ProblemRequest base_;
  std::int64_t far_elements_ = 0;
  std::set<std::string> known_;
  std::vector<FarProblem> found_;
  std::map<std::string, std::string> refused_;  ///< tensors
  std::string first_why_not_;
  std::optional<Problem> invalid_;
};

/// That which has the most of what none before it has; of several a program that is compiled anyway, then the least.
/// What they have goes to `reached`.
std::vector<CheckedProblem> cover(const std::vector<FarProblem>& found, std::size_t most, FarGoals& reached) {
  std::vector<CheckedProblem> chosen;
  while (chosen.size() < most) {
    const FarProblem* best = nullptr;
    double value = 0;
    for (const FarProblem& one : found) {
      int gained = 0;
      for (const FarGoal& goal : one.goals) gained += reached.contains(goal) ? 0 : goal.worth();
      const double worth = gained + (one.same_program ? 2 : 0) - one.cost;
      if (gained == 0 || (best != nullptr && worth <= value)) continue;
      best = &one;
      value = worth;
    }
    if (best == nullptr) break;
    chosen.push_back(best->far);
    reached.insert(best->goals.begin(), best->goals.end());
  }
  return chosen;
}

}  // namespace

std::optional<Instance> far_instance(const ShapedKernel& kernel, const Problem& problem, int sms,
                                     std::string& why_not) {
  const DeviceInfo device = kernel.device.with_sms(sms);
  if (!is_valid_on(kernel.variant, problem, device, kernel.configuration)) return std::nullopt;
  try {
    return instantiate(kernel.family, kernel.variant, problem, kernel.configuration, device);
  } catch (const Error& error) {
    if (why_not.empty()) why_not = error.what();
    return std::nullopt;
  }
}

std::optional<ProblemPlan> reference_plan(const ShapedKernel& kernel, const Problem& problem) {
  try {
    return instantiate_reference(kernel.family, problem, kernel.device).plan;
  } catch (const Error&) {
    return std::nullopt;
  }
}

namespace {

/// Of that configuration alone. `invalid`: where none is beyond 2^31, one that it is not valid for.
FarProblems far_problems_of(const ShapedKernel& kernel, const Problem& asked, std::size_t most,
                            const std::set<std::string>& tried, std::optional<Problem>& invalid) {
  const auto strategy = kernel.device.is_hardware ? whole_far(kernel, asked, tried) : sampled_far(kernel, asked);
  FarSearch search(kernel, *strategy);
  FarProblems far;
  FarGoals reached;
  far.problems = cover(search.find(), strategy->count(most), reached);
  const bool beyond = !far.problems.empty() && search.elements() >= kFarElements;
  invalid = beyond ? std::nullopt : search.invalid();
  const std::string none = "it takes no problem of so many that fits the device";
  if (far.problems.empty())
    far.why_not = search.why_not().empty() ? none : search.why_not();
  else if (search.elements() < kFarElements / 2)
    far.why_not = fmt::format("{}; one of {} elements is tried", none, search.elements());
  else
    for (const auto& [tensor, why_not] : search.refused())
      if (!reached.contains({FarGoal::Kind::tensor, tensor}))
        far.left.push_back(fmt::format("{} ({})", tensor, why_not));
  far.faults_alone = !far.problems.empty() && far.problems.front().executed == Executed::first_launch;
  if (!far.problems.empty() && !kernel.device.is_hardware && !far.faults_alone) {
    const ProblemRequest first = far.problems.front().request;
    for (CheckedProblem& one : search.under_other_flags(first)) far.problems.push_back(std::move(one));
    if (std::optional<CheckedProblem> one = search.ragged(first)) far.problems.push_back(std::move(*one));
  }
  if (std::optional<CheckedProblem> pitched = far_by_pitch(kernel, asked)) {
    far.by_pitch = true;
    far.problems.push_back(std::move(*pitched));
  }
  return far;
}

}  // namespace

FarProblems far_problems(const ShapedKernel& kernel, const Problem& asked, std::size_t most,
                         const std::set<std::string>& tried) {
  std::optional<Problem> invalid;
  FarProblems far = far_problems_of(kernel, asked, most, tried, invalid);
  if (!invalid) return far;
  // An index type may be a parameter.
  const Configuration other = default_configuration(kernel.variant, *invalid, kernel.device);
  if (other == kernel.configuration || !is_valid_on(kernel.variant, *invalid, kernel.device, other)) return far;
  FarProblems others =
      far_problems_of({kernel.family, kernel.variant, other, kernel.device}, asked, most, tried, invalid);
  if (invalid || !others.why_not.empty()) return far;
  for (CheckedProblem& one : others.problems) one.configuration = other;
  return others;
}

}  // namespace kerlab::session
