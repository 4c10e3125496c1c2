#pragma once
// What a candidate draws under a sustained load: travels between worker and parent.

#include <cstdint>

#include "base/modules.h"

namespace kerlab::measure {

/// What one candidate took, running by itself.
struct EnergySample {
  std::uint32_t id = 0;
  std::int64_t runs = 0;
  double run_us = 0;        ///< mean over all runs, gaps between them included
  double watts = 0;         ///< mean of the whole GPU, not of the kernel alone
  double sm_clock_mhz = 0;  ///< mean; 0: unknown
  bool operator==(const EnergySample&) const = default;
};

}  // namespace kerlab::measure
