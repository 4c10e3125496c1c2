#include "base/descriptor.h"

#include <unistd.h>

#include <cerrno>

namespace kerlab {

int Descriptor::close() noexcept {
  const int fd = std::exchange(fd_, -1);
  return fd >= 0 && ::close(fd) != 0 ? errno : 0;
}

int write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return 0;
}

int write_all(int fd, std::string_view text) {
  return write_all(fd, std::as_bytes(std::span(text)));
}

}  // namespace kerlab
