#pragma once
// What a loaded module remembers from launch to launch.

#include "device/device.h"

namespace kerlab::device {

/// A variable in global memory (`__device__`, and `static` ones of functions) or a constant: it outlives launches.
struct ModuleVariable {
  std::string name;  ///< as the image calls it
  DevicePtr pointer = 0;
  std::size_t bytes = 0;
  bool constant = false;  ///< `__constant__`: no kernel writes it
};

/// Those of a module; none on a device that cannot tell.
std::vector<ModuleVariable> variables_of(Device& device, ModuleId module);

}  // namespace kerlab::device
