#pragma once
// Two kerlabs never time on one GPU at once: an exclusive lock per GPU, released by the kernel even when its holder is
// killed.

#include <filesystem>
#include <optional>
#include <string>

#include "base/modules.h"

namespace kerlab::device {

class DeviceLock {
 public:
  /// The lock of the GPU with this UUID, or nothing while another process (or object) holds it. `folder` must be the
  /// same for everybody on the machine. Throws Error when the lock file cannot be had.
  static std::optional<DeviceLock> try_acquire(const std::string& uuid,
                                               const std::filesystem::path& folder = default_folder());
  /// Blocks until it is free.
  static DeviceLock wait(const std::string& uuid, const std::filesystem::path& folder = default_folder());
  /// "process 4711": who wrote into the lock file last; "another process" when unknown.
  static std::string holder(const std::string& uuid, const std::filesystem::path& folder = default_folder());
  /// The system's folder for temporary files: unlike XDG_RUNTIME_DIR it is the same for all users, and so is the GPU.
  static std::filesystem::path default_folder();

  DeviceLock(DeviceLock&& other) noexcept;
  DeviceLock& operator=(DeviceLock&& other) noexcept;
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;
  ~DeviceLock();

 private:
  explicit DeviceLock(int fd) : fd_(fd) {}
  static std::optional<DeviceLock> acquire(const std::string& uuid, const std::filesystem::path& folder, int operation);
  int fd_ = -1;
};

}  // namespace kerlab::device
