// The child's end of the frames.

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/child.h"
#include "base/error.h"
#include "base/frame.h"

namespace kerlab {
namespace {

int private_copy(int fd, const char* name) {
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (copy < 0)
    throw Error(fmt::format("standard {} is not open: this command is started by kerlab itself, with pipes", name));
  return copy;
}

/// One blocking read; 0 at end of input. A reset connection is an end as well: the parent is gone.
std::size_t read_some(int fd, std::span<std::byte> room) {
  while (true) {
    const ssize_t count = ::read(fd, room.data(), room.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == ECONNRESET) return 0;
    if (errno != EINTR) throw Error(fmt::format("reading a request failed: {}", std::strerror(errno)));
  }
}

}  // namespace

FrameChannel FrameChannel::take_over_stdio() {
  const int input = private_copy(STDIN_FILENO, "input");
  const int output = private_copy(STDOUT_FILENO, "output");
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw Error(fmt::format("cannot redirect standard input and output: {}", std::strerror(errno)));
  if (nothing > STDERR_FILENO) close(nothing);
  // Set again here because a launcher between us and kerlab has cleared what kerlab set.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);  // a reply to a dead parent is an Error, not a signal
  return {input, output};
}

void FrameChannel::start_watchdog(std::chrono::milliseconds grace) const {
  std::thread([fd = input_, grace] {
    pollfd hangup{fd, 0, {}};  // no events asked for: only a hang-up or an error ends the wait
    while (::poll(&hangup, 1, -1) < 0 && errno == EINTR) {
    }
    std::this_thread::sleep_for(grace);
    // _exit: the main thread may be stuck in a compiler or a driver call, so nothing of it can be unwound.
    _exit(static_cast<int>(ExitCode::failed));
  }).detach();
}

std::optional<Bytes> FrameChannel::read() {
  FrameAssembler frame;
  while (!frame.complete()) {
    const std::size_t count = read_some(input_, frame.room());
    if (count == 0) return {};
    frame.added(count);
    if (frame.announced() > kMaximumFrame)
      throw Error(fmt::format("a request of {} bytes is above the limit of {}", frame.announced(), kMaximumFrame));
  }
  return frame.take();
}

void FrameChannel::write(std::span<const std::byte> frame) {
  if (frame.size() > kMaximumFrame)
    throw Error(fmt::format("a reply of {} bytes is above the limit of {}", frame.size(), kMaximumFrame));
  FrameHeader header = frame_header(frame.size());
  iovec parts[2] = {{header.data(), header.size()}, {const_cast<std::byte*>(frame.data()), frame.size()}};
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    const ssize_t count = writev(output_, parts, 2);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(fmt::format("writing a reply failed: {}", std::strerror(errno)));
    auto left = static_cast<std::size_t>(count);
    for (iovec& part : parts) {
      const std::size_t done = std::min(left, part.iov_len);
      part.iov_base = static_cast<std::byte*>(part.iov_base) + done;
      part.iov_len -= done;
      left -= done;
    }
  }
}

}  // namespace kerlab
