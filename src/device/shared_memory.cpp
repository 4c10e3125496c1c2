#include "device/shared_memory.h"

#include "device/emu/emu_device.h"

namespace kerlab::device {

KeptSharedMemory::KeptSharedMemory(Device& device) : device_(device) {
  if (auto* emulated = dynamic_cast<emu::EmuDevice*>(&device_)) emulated->keep_shared_memory(true);
}

KeptSharedMemory::~KeptSharedMemory() {
  if (auto* emulated = dynamic_cast<emu::EmuDevice*>(&device_)) emulated->keep_shared_memory(false);
}

std::string KeptSharedMemory::digest() const {
  const auto* emulated = dynamic_cast<const emu::EmuDevice*>(&device_);
  return emulated != nullptr ? emulated->shared_memory_left() : std::string();
}

}  // namespace kerlab::device
