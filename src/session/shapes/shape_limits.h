#pragma once
// How many problems a check may choose, and how large they may be.

#include <cstddef>
#include <limits>

#include "plan/device_info.h"

namespace kerlab::session {

struct ShapeLimits {
  std::size_t shapes = 26;      ///< made for edges, with the flags asked for
  std::size_t with_flags = 12;  ///< with others, each another program
  double bytes = 0, flops = 0;  ///< of a problem, as its reference is computed; 0: see limits_for
  // Of one that is large in one thing alone:
  double long_bytes = 0, long_flops = 0;
  double block_flops = 0;                                        ///< of each of its blocks
  double usual_flops = std::numeric_limits<double>::infinity();  ///< of more: Thoroughness::telling, not usual
};
/// What a device does in about a second a problem.
ShapeLimits limits_for(const DeviceInfo& device);
/// Of a tune's winner, for which all problems are waited for: fewer of them, with the flags asked for.
ShapeLimits limits_for_winner(const DeviceInfo& device);

}  // namespace kerlab::session
