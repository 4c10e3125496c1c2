#include <fmt/format.h>

#include <limits>

#include "spec/space/space_tree.h"

namespace kerlab::spec {
namespace {

/// Nothing is valid: which constraint leaves nothing of what reaches it.
[[noreturn]] void throw_empty(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                              std::uint64_t raw) {
  const std::vector<Space::Cut> cuts = constraint_cuts(variant, problem, device);
  std::size_t c = 0;
  while (cuts[c].remaining > 0) raw = cuts[c++].remaining;
  throw SpecError(
      variant.constraints[c].where,
      fmt::format("constraint '{}' rejects all {} configurations that reach it", variant.constraints[c].name, raw));
}

}  // namespace

std::uint64_t raw_size(const Variant& variant) {
  std::uint64_t size = 1;
  for (const Parameter& parameter : variant.parameters)
    if (__builtin_mul_overflow(size, parameter.values.size(), &size)) return std::numeric_limits<std::uint64_t>::max();
  return size;
}

Space enumerate(const Variant& variant, const Problem& problem, const DeviceInfo& device, const SpaceLimits& limits) {
  SpaceTree tree({variant, problem, device}, variant.constraints.size(), limits.steps);
  Space space;
  space.raw = raw_size(variant);
  // Counting goes by subtrees: where there is much, it is quicker than finding out on the way.
  if (space.raw / 16 > limits.enumerated) space.count = tree.count();
  auto all = space.count <= limits.enumerated ? tree.all(limits.enumerated) : std::nullopt;
  if (all) {
    space.valid = std::move(*all);
    space.count = space.valid.size();
  } else {
    space.count = tree.count();
    space.sampled = true;
    space.valid = tree.some(limits.sampled, limits.seed);
  }
  space.steps = tree.steps();
  if (space.count == 0) throw_empty(variant, problem, device, space.raw);
  return space;
}

std::vector<Configuration> quick_part(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                      const Space& space) {
  if (variant.quick.empty()) return space.valid;
  std::vector<Expression> conditions;
  for (const Constraint& constraint : variant.constraints) conditions.push_back(constraint.condition);
  conditions.insert(conditions.end(), variant.quick.begin(), variant.quick.end());
  const std::size_t count = conditions.size();
  SpaceTree tree(ConstraintProgram(variant, std::move(conditions), problem, device), count, SpaceLimits{}.steps);
  auto quick = tree.all(space.valid.size());
  if (!quick) return tree.some(space.valid.size(), 1);
  return quick->empty() ? space.valid : std::move(*quick);
}

std::vector<Space::Cut> constraint_cuts(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  const ConstraintProgram program(variant, problem, device);
  std::vector<Space::Cut> cuts;
  std::uint64_t steps = SpaceLimits{}.steps;
  for (std::size_t c = 0; c < variant.constraints.size(); ++c) {
    SpaceTree tree(program, c + 1, steps);
    cuts.push_back({variant.constraints[c].name, tree.count()});
    steps -= tree.steps();
  }
  return cuts;
}

}  // namespace kerlab::spec
