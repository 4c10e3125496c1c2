#pragma once
// The lab's own kernels (kernels/common/lab.cu) as host code over the same headers, bit for bit, so that an emulated
// device does not interpret what only serves to make and compare data. Sums of floating-point numbers are taken in one
// fixed order, whatever the number of threads.

#include "device/device.h"
#include "device/emu/memory.h"

namespace kerlab::emu {

class NativeLab {
 public:
  NativeLab(const DeviceInfo& device, emu::GlobalMemory& memory, int threads)
      : device_(device), memory_(memory), threads_(threads) {}

  /// Executes the launch if its kernel is one of those known here; false: it is not. Throws DeviceFault for a pointer
  /// outside every allocation.
  bool run(const BoundLaunch& launch) const;

 private:
  void fill(const BoundLaunch& launch) const;
  void compare(const BoundLaunch& launch) const;
  void guard_scan(const BoundLaunch& launch) const;
  void repitch(const BoundLaunch& launch) const;
  void hash(const BoundLaunch& launch) const;
  void flush(const BoundLaunch& launch) const;
  void clock(const BoundLaunch& launch) const;

  /// Memory of `count` objects. Throws DeviceFault(illegal_address).
  template <typename T>
  T* at(DevicePtr address, std::int64_t count) const;

  const DeviceInfo& device_;
  emu::GlobalMemory& memory_;
  int threads_;
};

}  // namespace kerlab::emu
