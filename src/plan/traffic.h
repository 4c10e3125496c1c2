#pragma once
// What the blocks of a launch moved through their L1 caches, in 32-byte sectors of global memory.

#include <cstdint>

#include "base/modules.h"

namespace kerlab::plan {

/// Sums over the blocks executed; of what threads load and store, not of bulk copies.
struct Traffic {
  std::int64_t touched = 0;  ///< by every access; what is in none of the others was read by the block a moment before
  std::int64_t first = 0;    ///< read for the first time by the block
  std::int64_t again = 0;    ///< read before, but much has been read since
  std::int64_t written = 0;  ///< by stores and atomics
  bool operator==(const Traffic&) const = default;
  Traffic& operator+=(const Traffic& other) {
    touched += other.touched;
    first += other.first;
    again += other.again;
    written += other.written;
    return *this;
  }
};

}  // namespace kerlab::plan
