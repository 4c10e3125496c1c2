#pragma once
// Launch declarations made concrete: every expression evaluated, repetition expanded.

#include <string>
#include <vector>

#include "plan/launch_plan.h"
#include "spec/spec.h"

namespace kerlab::spec {

/// Evaluates launches of one variant or reference. Keeps references to everything it is given.
class LaunchPlanBuilder {
 public:
  LaunchPlanBuilder(const Family& family, const Problem& problem, const Variant* variant, Environment environment);

  /// Adds a launch, or nothing when its grid is empty.
  void add(const LaunchDecl& declaration, std::int64_t repetition);
  /// Adds launches in order; groups and repeated launches are expanded.
  void add_all(const std::vector<LaunchDecl>& declarations);
  void add_workspaces();
  /// Memory of a reference, before the launches that use it.
  void add_workspace(const ReferenceWorkspaceDecl& workspace);
  /// Launches that are not timed, and tensors that lie in variables.
  void add_prepared();
  [[nodiscard]] const LaunchPlan& plan() const { return plan_; }

 private:
  [[nodiscard]] Dim3 extents(const std::vector<Expression>& list) const;
  [[nodiscard]] std::int64_t within(const Expression& expression, std::int64_t low, std::int64_t high,
                                    const std::string& what) const;
  [[nodiscard]] Argument argument(const ArgumentChoice& choice, const ArgumentDecl& declaration) const;
  [[nodiscard]] ScalarArgument integer(const ArgumentChoice& choice, const ArgumentDecl& declaration) const;
  [[nodiscard]] ScalarArgument scalar(const ArgumentChoice& choice) const;
  [[nodiscard]] TensorMapArgument tensor_map(const std::string& name) const;
  [[nodiscard]] std::int64_t bytes_of_buffer(const ArgumentChoice& choice) const;

  const Problem& problem_;
  const Family& family_;
  const Variant* variant_;  ///< null for a reference
  Environment environment_;
  std::vector<Tensor> tensors_;
  LaunchPlan plan_;
};

/// Why the first launch of a plan cannot be programmatic.
std::string first_cannot_depend(const std::string& kernel);

/// -DDTYPE... and the family's derived values.
std::vector<std::string> problem_defines(const Family& family, const Problem& problem);

}  // namespace kerlab::spec
