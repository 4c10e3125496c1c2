#pragma once
// Whether a device can run a launch at all: the same rules and words for a GPU and for a scripted device.

#include <string>

#include "plan/device_info.h"
#include "plan/launch_plan.h"

namespace kerlab::device {

/// Blocks of a grid along y and z.
inline constexpr std::uint32_t kMostGridRows = 65535;

/// Empty when the launch is possible; else what is too large and what to change. `resources` gives static shared
/// memory, registers and thread limit; zeros there are not checked.
std::string launch_limit_error(const DeviceInfo& device, const Launch& launch, const KernelResources& resources);

/// Empty, or why a cooperative launch is refused: so many of its blocks, `blocks_per_sm` on a multiprocessor, do not
/// run at once.
std::string cooperative_error(const DeviceInfo& device, const Launch& launch, int blocks_per_sm);

}  // namespace kerlab::device
