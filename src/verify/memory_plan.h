#pragma once
// How the data of a problem share the device's memory: pure arithmetic.

#include <cstdint>

#include "base/modules.h"

namespace kerlab::verify {

struct MemoryNeeds {
  std::int64_t set_bytes = 0;        ///< all tensors once, with guards
  std::int64_t touched_bytes = 0;    ///< what one run must touch at least: what evicts the cache
  std::int64_t reference_bytes = 0;  ///< expected values and scales of one recipe
  int recipes = 1;
  std::int64_t l2_bytes = 0;
  std::int64_t free_bytes = 0;
};

struct MemoryPlan {
  int rotation_sets = 1;    ///< tensors for timing, all with the first recipe
  int recipe_sets = 0;      ///< more of them, which hold other recipes; without them the last rotation set is refilled
  int reference_slots = 1;  ///< expected values kept; with fewer than recipes they are recomputed
  bool flush = false;       ///< the rotation does not touch twice the L2: flush it between cold samples
};

inline constexpr int kMaximumRotation = 64;

/// At least one set and one slot, even if they do not fit: allocating them then says so.
MemoryPlan plan_memory(const MemoryNeeds& needs);

}  // namespace kerlab::verify
