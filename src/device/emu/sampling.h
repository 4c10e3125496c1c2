#pragma once
// Which blocks of a grid stand for all of them.

#include <cstdint>
#include <vector>

#include "plan/launch_plan.h"

namespace kerlab::emu {

inline constexpr int kSampleBlocks = 6;

/// As many whole clusters as hold `count` blocks, at least two where there are, chosen as blocks are below.
/// Linear indices of their blocks, ascending. `cluster` divides the grid.
std::vector<std::int64_t> sample_clusters(const Dim3& grid, const Dim3& cluster, int count, std::uint64_t seed);

/// Linear indices (x fastest) of at most `count` blocks, ascending, each once: the corners of the grid, the last one
/// first (where ragged tiles meet), then blocks at pseudo-random places. A place is a fraction of each axis and depends
/// on `seed` alone, so that grids of different tile sizes are looked at in the same regions of the problem.
std::vector<std::int64_t> sample_blocks(const Dim3& grid, int count, std::uint64_t seed);

}  // namespace kerlab::emu
