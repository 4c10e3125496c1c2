#pragma once
// What devices that imitate the lab's own kernels (kernels/common/lab.cu) read of a launch.

#include <fmt/format.h>

#include <cstring>

#include "device/device.h"

namespace kerlab::device {

/// The one struct of common/lab_abi.h that every lab kernel takes. Throws DeviceFault(launch_failed): another size.
template <typename Arguments>
Arguments lab_arguments(const BoundLaunch& launch) {
  if (launch.arguments.size() != 1 || launch.arguments[0].size() != sizeof(Arguments))
    throw DeviceFault(
        FaultKind::launch_failed,
        fmt::format("{} takes one struct of {} bytes (kernels/common/lab_abi.h)", launch.kernel, sizeof(Arguments)),
        false);
  Arguments arguments;
  std::memcpy(&arguments, launch.arguments[0].data(), sizeof arguments);
  return arguments;
}

}  // namespace kerlab::device
