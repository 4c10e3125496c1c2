#pragma once
// A small problem with one output, for scripted devices, and scripts for them.

#include "modules.h"
#include "worker/messages.h"

namespace kerlab::test {

/// C = f(A, B), 256 x 64; recipes normal, small_integer (exact).
inline ProblemPlan example_problem(std::int64_t rows = 256) {
  ProblemPlan plan;
  plan.key = "example";
  plan.tensors = {{"A", DType::fp32, Role::input, {rows, 64}},
                  {"B", DType::fp16, Role::input, {7}},
                  {"C", DType::fp32, Role::output, {rows, 64}}};
  Launch reference{"reference", {1, 1, 1}, {256, 1, 1}, {1, 1, 1}, 0, {}};
  reference.arguments = {TensorArgument{"A", 0}, ReferenceSlot::count, ReferenceSlot::value, ReferenceSlot::scale};
  plan.references = {{"C", reference, DType::fp64, 1, {1e-6, 1e-6, 0}, {}}};
  Recipe exact;
  exact.name = "small_integer";
  exact.exact = true;
  plan.recipes = {Recipe{}, exact};
  return plan;
}

inline request::SetProblem set_problem(ProblemPlan plan = example_problem()) {
  return {std::move(plan), Bytes{std::byte{1}}, Bytes{std::byte{2}}};
}

/// A candidate that takes A, its workspace if any, and C, in this order.
inline request::Load load(std::uint32_t id, std::string label, std::vector<Workspace> workspaces = {}) {
  Launch launch{"kernel", {4, 1, 1}, {128, 1, 1}, {1, 1, 1}, 0, {}};
  launch.arguments = {TensorArgument{"A", 0}};
  for (const Workspace& workspace : workspaces) launch.arguments.push_back(WorkspaceArgument{workspace.name, 0});
  launch.arguments.push_back(TensorArgument{"C", 0});
  return {id, std::move(label), Bytes{std::byte{3}}, {std::move(workspaces), {launch}}};
}

}  // namespace kerlab::test
