#pragma once
// How many blocks of a kernel an SM holds at once, from the device's limits (CUDA C++ Programming Guide, compute
// capabilities): what the driver computes, where there is no driver.

#include <cstdint>
#include <optional>
#include <string>

#include "plan/device_info.h"

namespace kerlab::plan {

/// Blocks per SM and what limits it.
struct Occupancy {
  int blocks = 0;
  double fraction = 0;
  std::string limiter;
};
/// Zero of `registers` (a thread) is not checked. `carveout`: percent of the SM's memory that is asked to be shared
/// memory, as Launch has it.
Occupancy occupancy(const DeviceInfo& device, int threads, int registers, int shared_bytes,
                    std::optional<std::int32_t> carveout = {});

/// Bytes of shared memory that an SM has when `percent` of what it can have are preferred and one block takes
/// `block_bytes`: the smallest capacity of its compute capability that is as much as both. A driver may choose another.
int carved_shared(const DeviceInfo& device, std::int32_t percent, int block_bytes);

/// The limiter of a launch whose SMs get fewer blocks than they could hold.
inline constexpr const char* kByGrid = "the grid";
/// What a grid of `blocks` makes of `fits`: on the SMs with most blocks; unchanged where as many come as fit.
Occupancy occupancy_of_grid(const Occupancy& fits, std::int64_t blocks, const DeviceInfo& device);

}  // namespace kerlab::plan
