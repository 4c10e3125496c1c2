#pragma once
// What the GPUs of this machine are, from the driver's attributes. Creates no context.

#include <vector>

#include "device/cuda/driver_api.h"
#include "plan/device_info.h"

namespace kerlab::device {

/// Facts of GPU `ordinal`; `driver` (the version text) is left empty: see Nvml. Throws UsageError that lists what
/// exists when the ordinal is out of range.
DeviceInfo cuda_device_info(const DriverApi& api, int ordinal);

/// Every GPU that the driver shows. Throws Error as DriverApi::open does. No context is made: listing costs no memory.
std::vector<DeviceInfo> list_cuda_devices();

}  // namespace kerlab::device
