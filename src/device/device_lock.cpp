#include "device/device_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace kerlab::device {
namespace {

std::filesystem::path lock_file(const std::string& uuid, const std::filesystem::path& folder) {
  return folder / ("kerlab-" + uuid + ".lock");
}

/// Opens the file, making it when it is not there; every user may lock it. Two steps, since Linux refuses O_CREAT on
/// another user's file in a sticky folder (fs.protected_regular).
int open_lock_file(const std::filesystem::path& path) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  for (int attempt = 0; attempt < 3; ++attempt) {
    int fd = open(path.c_str(), kFlags);
    if (fd >= 0 || errno != ENOENT) return fd;
    fd = open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
    if (fd >= 0) {
      fchmod(fd, 0666);  // whatever the umask
      return fd;
    }
    if (errno != EEXIST) return fd;
  }
  return -1;
}

void write_holder(int fd) {
  const std::string text = fmt::format("{}\n", getpid());
  // Only for a message: a full disk must not stop the lock from working.
  if (ftruncate(fd, 0) != 0 || pwrite(fd, text.data(), text.size(), 0) < 0) return;
}

}  // namespace

std::optional<DeviceLock> DeviceLock::acquire(const std::string& uuid, const std::filesystem::path& folder,
                                              int operation) {
  const auto path = lock_file(uuid, folder);
  DeviceLock lock(open_lock_file(path));
  if (lock.fd_ < 0)
    throw Error(fmt::format("{}: cannot open the lock of GPU {}: {}. Set TMPDIR to a folder that can be written.",
                            path.string(), uuid, std::strerror(errno)));
  int result = 0;
  do {
    result = flock(lock.fd_, operation);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno == EWOULDBLOCK) return std::nullopt;
  if (result != 0) throw Error(fmt::format("{}: cannot lock: {}", path.string(), std::strerror(errno)));
  write_holder(lock.fd_);
  return lock;
}

std::optional<DeviceLock> DeviceLock::try_acquire(const std::string& uuid, const std::filesystem::path& folder) {
  return acquire(uuid, folder, LOCK_EX | LOCK_NB);
}

DeviceLock DeviceLock::wait(const std::string& uuid, const std::filesystem::path& folder) {
  return std::move(*acquire(uuid, folder, LOCK_EX));
}

std::string DeviceLock::holder(const std::string& uuid, const std::filesystem::path& folder) {
  char text[32] = {};
  const int fd = open(lock_file(uuid, folder).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  const ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
  if (fd >= 0) close(fd);
  int pid = 0;
  if (length <= 0 || std::from_chars(text, text + length, pid).ec != std::errc{}) return "another process";
  return fmt::format("process {}", pid);
}

std::filesystem::path DeviceLock::default_folder() {
  return std::filesystem::temp_directory_path();
}

DeviceLock::DeviceLock(DeviceLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
DeviceLock& DeviceLock::operator=(DeviceLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
DeviceLock::~DeviceLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace kerlab::device
