#pragma once
// The blocks that run together: their shared memory, which each of them can reach, and the copies under way. A launch
// without clusters has clusters of one block.

#include <cstdint>
#include <list>
#include <vector>

#include "device/emu/async/bulk_copy.h"
#include "device/emu/machine/cta.h"

namespace kerlab::emu {

/// barrier.cluster: threads arrive one by one; a phase ends when all that have not exited have arrived.
struct ClusterBarrier {
  std::int32_t live = 0;     ///< threads of the cluster that have not exited
  std::int32_t arrived = 0;  ///< of them, in this phase
  std::uint32_t phase = 0;
};

struct Cluster {
  Dim3 extent;                  ///< blocks in each direction
  std::vector<Cta*> blocks;     ///< by rank, x fastest
  std::list<BulkCopy> pending;  ///< in order of issue: thousands of them, mostly taken from the front
  ClusterBarrier barrier;
  /// Grows with every arrival, phase, copy and exit: whatever a waiting warp may wait for.
  std::uint64_t changes = 0;
  /// Phases of mbarriers that have ended.
  std::uint64_t phases_ended = 0;
};

}  // namespace kerlab::emu
