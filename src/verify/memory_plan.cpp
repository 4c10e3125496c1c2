#include "verify/memory_plan.h"

#include <algorithm>

namespace kerlab::verify {
namespace {

/// How many pieces of `bytes`, at most `wanted`, come out of `left`.
int take(std::int64_t& left, std::int64_t bytes, std::int64_t wanted) {
  if (bytes <= 0) return static_cast<int>(wanted);
  const auto count = std::clamp<std::int64_t>(left / bytes, 0, wanted);
  left -= count * bytes;
  return static_cast<int>(count);
}

}  // namespace

MemoryPlan plan_memory(const MemoryNeeds& n) {
  MemoryPlan plan;
  const std::int64_t touched = std::max<std::int64_t>(n.touched_bytes, 1);
  const std::int64_t wanted = std::max<std::int64_t>(2, 2 * n.l2_bytes / touched + 1);
  // A fifth is left to the candidates' workspaces.
  std::int64_t left = n.free_bytes / 5 * 4 - n.set_bytes - n.reference_bytes - 2 * n.l2_bytes;
  left = std::max<std::int64_t>(left, 0);
  plan.rotation_sets = 1 + take(left, n.set_bytes, wanted <= kMaximumRotation ? wanted - 1 : 1);
  plan.flush = plan.rotation_sets < wanted;
  plan.reference_slots = 1 + take(left, n.reference_bytes, n.recipes - 1);
  plan.recipe_sets = take(left, n.set_bytes, n.recipes - 1);
  return plan;
}

}  // namespace kerlab::verify
