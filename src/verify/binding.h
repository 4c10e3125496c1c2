#pragma once
// A symbolic launch becomes one with addresses.

#include <map>
#include <string>

#include "device/device.h"
#include "plan/launch_plan.h"

namespace kerlab::verify {

/// Where tensors and workspaces lie, by name.
using Addresses = std::map<std::string, DevicePtr>;

/// What the slots of a reference kernel stand for.
struct ReferenceSlots {
  DevicePtr index = 0;  ///< 0: all outputs
  std::int64_t count = 0;
  DevicePtr value = 0, scale = 0;
  DevicePtr error = 0, code = 0;  ///< of a checker
};

/// Throws Error for a name without an address, DeviceFault or Error for a tensor map that the driver would refuse.
BoundLaunch bind_launch(Device& device, ModuleId module, const Launch& launch, const Addresses& addresses,
                        const ReferenceSlots& slots = {});

}  // namespace kerlab::verify
