#pragma once
// What a device says of itself while it is measured: a plain struct that travels from worker to parent.

#include <cstdint>
#include <string>

#include "base/modules.h"

namespace kerlab::plan {

/// Bits of NVML's clock event reasons: hardware slowdown, software thermal, hardware thermal, power brake: the device
/// is not what it was a moment ago.
inline constexpr std::uint64_t kClocksSlowed = 0x8 | 0x20 | 0x40 | 0x80;

struct DeviceConditions {
  std::uint64_t reasons = 0;  ///< why clocks are lower than they could be
  double watts = 0, celsius = 0;
  bool operator==(const DeviceConditions&) const = default;
};

/// "power cap + hardware thermal"; empty when no bit that lowers the clocks is set.
std::string clock_reasons(std::uint64_t reasons);

}  // namespace kerlab::plan
