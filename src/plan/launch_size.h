#pragma once
// How many blocks, threads and warps a launch starts.

#include <cmath>

#include "plan/launch_plan.h"

namespace kerlab::plan {

inline double blocks_in_grid(const Launch& launch) {
  return static_cast<double>(launch.grid.x) * launch.grid.y * launch.grid.z;
}

inline double threads_in_block(const Launch& launch) {
  return static_cast<double>(launch.block.x) * launch.block.y * launch.block.z;
}

/// Warps that are not full among them.
inline double warps_in_grid(const Launch& launch) {
  constexpr double kLanes = 32;
  return blocks_in_grid(launch) * std::ceil(threads_in_block(launch) / kLanes);
}

}  // namespace kerlab::plan
