#pragma once
// What blocks find in shared memory that they have not written.

#include <string>

#include "device/device.h"

namespace kerlab::device {

/// While it lives, blocks of launches in the modes check and check_all find there what those of the launch before have
/// left, as on a GPU; on an emulated device they find poison otherwise. On a GPU it changes nothing.
class KeptSharedMemory {
 public:
  explicit KeptSharedMemory(Device& device);
  KeptSharedMemory(const KeptSharedMemory&) = delete;
  KeptSharedMemory& operator=(const KeptSharedMemory&) = delete;
  ~KeptSharedMemory();
  /// Of what is left there now; empty where that cannot be known.
  [[nodiscard]] std::string digest() const;

 private:
  Device& device_;
};

}  // namespace kerlab::device
