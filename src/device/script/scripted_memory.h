#pragma once
// Memory of a scripted device: reserved address space of this process, so that a tensor of many GB costs nothing until
// a byte of it is touched. A device pointer is the host address.

#include <cstddef>
#include <cstdint>
#include <map>

#include "device/device.h"

namespace kerlab::device {

class ScriptedMemory {
 public:
  explicit ScriptedMemory(std::int64_t limit_bytes) : limit_(limit_bytes) {}
  ScriptedMemory(const ScriptedMemory&) = delete;
  ScriptedMemory& operator=(const ScriptedMemory&) = delete;
  ~ScriptedMemory();

  /// Zeroed, page-aligned. Throws DeviceFault(out_of_memory) beyond the limit.
  DevicePtr allocate(std::size_t bytes);
  void release(DevicePtr pointer) noexcept;
  [[nodiscard]] std::int64_t free_bytes() const { return limit_ - used_; }
  /// True when [pointer, pointer + bytes) lies in one allocation.
  [[nodiscard]] bool contains(DevicePtr pointer, std::size_t bytes) const;
  /// Host address of [pointer, pointer + bytes). Throws DeviceFault(illegal_address), sticky, when it is not allocated.
  [[nodiscard]] void* at(DevicePtr pointer, std::size_t bytes) const;

 private:
  std::int64_t limit_;
  std::int64_t used_ = 0;
  std::map<DevicePtr, std::size_t> allocations_;
};

}  // namespace kerlab::device
