#pragma once
// How many blocks of a kernel an SM holds at once, from the device's limits (CUDA C++ Programming Guide, compute
// capabilities): what the driver computes, where there is no driver.

#include <string>

#include "plan/device_info.h"

namespace kerlab {

/// Blocks per SM and what limits it.
struct Occupancy {
  int blocks = 0;
  double fraction = 0;
  std::string limiter;
};
/// Zero of `registers` (a thread) is not checked.
Occupancy occupancy(const DeviceInfo& device, int threads, int registers, int shared_bytes);

}  // namespace kerlab
