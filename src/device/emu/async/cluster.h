#pragma once
// The blocks that run together: their shared memory, which each of them can reach, and the copies under way. A launch
// without clusters has clusters of one block.

#include <cstdint>
#include <vector>

#include "device/emu/async/bulk_copy.h"
#include "device/emu/machine/cta.h"

namespace kerlab::emu {

struct Cluster {
  Dim3 extent;                    ///< blocks in each direction
  std::vector<Cta*> blocks;       ///< by rank, x fastest
  std::vector<BulkCopy> pending;  ///< in order of issue
};

}  // namespace kerlab::emu
