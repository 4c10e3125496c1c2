#pragma once
// What a device looks at of problems beyond 2^31 elements: a GPU executes all of one, an emulated device some blocks.

#include <compare>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "session/shapes/checked_problem.h"
#include "session/shapes/far_tries.h"

namespace kerlab::session {

/// What a problem is chosen for.
struct FarGoal {
  /// Of a tensor: it is far, its elements are beyond 32 bits, its accesses of 16 bytes beyond 31. Of a dimension: it is
  /// long, or there are many of a batch; it is so long that few of it are far.
  enum class Kind { tensor, elements, accesses, dimension, very_long };
  Kind kind;
  std::string name;

  auto operator<=>(const FarGoal&) const = default;
  /// The last only counts beside others, so that it displaces none.
  [[nodiscard]] int worth() const { return kind == Kind::very_long ? 1 : 4; }
};
using FarGoals = std::set<FarGoal>;

struct FarProblem {
  CheckedProblem far;
  Problem problem;
  FarGoals goals;
  bool same_program = false;  ///< as on the problem that was asked for
  double cost = 0;            ///< 1: all that a problem may cost
};

/// Tried together. A tensor with more elements is far.
struct FarTries {
  std::vector<FarTry> tries;
  std::int64_t elements = 0;
};

/// Chosen once, by the device. What it is made of must outlive it.
class FarStrategy {
 public:
  virtual ~FarStrategy() = default;
  /// What is tried, and if that has found nothing what is tried next.
  [[nodiscard]] virtual std::vector<FarTries> tries() const = 0;
  /// Whether what comes next is tried where a problem was far, but refused.
  [[nodiscard]] virtual bool goes_on_refused() const = 0;
  /// Whose extents are still to be given: of the problem asked for.
  [[nodiscard]] virtual ProblemRequest base() const = 0;
  /// How it is checked.
  [[nodiscard]] virtual CheckedProblem checked(const ProblemRequest& request) const = 0;
  /// Beside tensors of more than so many elements. None: none of it is far, or all is more than the device holds.
  [[nodiscard]] virtual FarGoals goals_of(const Problem& problem, std::int64_t elements) const = 0;
  /// Its cost, and what else is known of it. False: it is not taken, and `why_not` says why; empty: the configuration
  /// is not valid there.
  virtual bool takes(FarProblem& found, std::string& why_not) const = 0;
  /// How many of them are checked, where `most` was asked for.
  [[nodiscard]] virtual std::size_t count(std::size_t most) const { return most; }
};

/// All blocks are executed. `tried`: dimensions that are beyond 2^16 in other problems.
std::unique_ptr<FarStrategy> whole_far(const ShapedKernel& kernel, const Problem& asked,
                                       const std::set<std::string>& tried);
/// Some blocks stand for all.
std::unique_ptr<FarStrategy> sampled_far(const ShapedKernel& kernel, const Problem& asked);

/// None: the reference cannot be launched there, as whoever makes the plan will say.
std::optional<ProblemPlan> reference_plan(const ShapedKernel& kernel, const Problem& problem);

/// None: the configuration is not valid there, or (`why_not`, unless it says something already) it has no plan.
std::optional<Instance> far_instance(const ShapedKernel& kernel, const Problem& problem, int sms, std::string& why_not);

}  // namespace kerlab::session
