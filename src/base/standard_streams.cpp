#include "base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace kerlab {

void occupy_standard_descriptors() noexcept {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free is this one. Output for nobody must fail, not vanish: an export would be lost.
    [[maybe_unused]] const int opened = ::open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR);
  }
}

void complain(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::string flush_standard_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return "";
  return errno != 0 ? std::generic_category().message(errno) : "some of it was lost";
}

}  // namespace kerlab
