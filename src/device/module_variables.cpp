#include "device/module_variables.h"

#include "device/cuda/cuda_device.h"
#include "device/emu/emu_device.h"

namespace kerlab::device {

std::vector<ModuleVariable> variables_of(Device& device, ModuleId module) {
  if (auto* gpu = dynamic_cast<CudaDevice*>(&device)) return gpu->variables(module);
  if (auto* emulated = dynamic_cast<emu::EmuDevice*>(&device)) return emulated->variables(module);
  return {};
}

}  // namespace kerlab::device
