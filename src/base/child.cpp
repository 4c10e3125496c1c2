#include "base/child.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>

#include "base/child_process.h"
#include "base/frame.h"

namespace kerlab {
namespace {

constexpr std::size_t kTailBytes = 8192;

void keep_tail(std::string& text) {
  if (text.size() > kTailBytes) text.erase(0, text.size() - kTailBytes);
}

}  // namespace

std::string ChildExit::describe() const {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* name = sigabbrev_np(number);
    return fmt::format("killed by signal {} (SIG{}){}", number, name != nullptr ? name : "?",
                       killed_by_us ? " from kerlab" : "");
  }
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

struct Child::State {
  StartedProcess process;
  Descriptor ended;  ///< pidfd: readable once the process has ended; not open on kernels without it
  std::deque<Bytes> outbox;
  std::size_t sent = 0;  ///< bytes of outbox.front() already written
  FrameAssembler incoming;
  bool output_ended = false;
  std::string tail;   ///< of standard error, for ChildExit
  std::string fresh;  ///< of standard error, since take_stderr()
  std::optional<ChildExit> exit;

  void read_stderr() {
    if (!process.error.open()) return;
    std::string text;
    const bool more = drain(process.error.get(), text);
    tail += text;
    fresh += text;
    keep_tail(tail);
    keep_tail(fresh);
    if (!more) process.error.close();
  }

  void finish(int status, bool killed) {
    read_stderr();
    exit = ChildExit{status, killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, tail};
    outbox.clear();
    process.input.close();
    process.output.close();
    process.error.close();
    ended.close();
  }

  void kill() {
    if (!exit) finish(kill_and_reap(process.pid), true);
  }

  /// A stream that is not frames: whatever wrote it, this child cannot be used.
  void reject(std::uint64_t length) {
    read_stderr();
    tail += fmt::format("\n[not a frame on its output: a length of {} bytes; the child was killed]", length);
    kill();
  }
};

Child::Child(State* state) : state_(state) {}
Child::Child(Child&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
Child& Child::operator=(Child&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
Child::~Child() {
  if (state_ == nullptr) return;
  // Not through kill(): that builds a ChildExit, and a destructor must not allocate and perhaps throw.
  if (!state_->exit) kill_and_reap(state_->process.pid);
  delete state_;
}

Child Child::spawn(const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
  auto state = std::make_unique<State>();
  state->process = start_process(argv, environment);
  state->ended = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, state->process.pid, 0)));
  return Child(state.release());
}

pid_t Child::pid() const {
  return state_->process.pid;
}
int Child::output_fd() const {
  return state_->output_ended ? state_->ended.get() : state_->process.output.get();
}
int Child::error_fd() const {
  return state_->process.error.get();
}
int Child::input_fd() const {
  return state_->process.input.get();
}
bool Child::wants_write() const {
  return !state_->outbox.empty();
}
const std::optional<ChildExit>& Child::exit() const {
  return state_->exit;
}
void Child::kill() {
  state_->kill();
}

void Child::send(Bytes frame) {
  if (state_->exit) return;
  const FrameHeader header = frame_header(frame.size());
  state_->outbox.emplace_back(header.begin(), header.end());
  if (!frame.empty()) state_->outbox.push_back(std::move(frame));
  flush();
}

void Child::flush() {
  State& s = *state_;
  while (!s.outbox.empty()) {
    const Bytes& front = s.outbox.front();
    const ssize_t count =
        ::send(s.process.input.get(), front.data() + s.sent, front.size() - s.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count < 0) return s.outbox.clear();  // it is gone; receive() will say how
    s.sent += static_cast<std::size_t>(count);
    if (s.sent < front.size()) continue;
    s.outbox.pop_front();
    s.sent = 0;
  }
}

std::optional<Bytes> Child::receive() {
  State& s = *state_;
  if (s.exit) return {};
  s.read_stderr();
  const bool over = has_ended(s.process.pid);  // asked before reading, so that nothing it wrote is missed
  while (!s.output_ended) {
    const std::span<std::byte> room = s.incoming.room();
    const ssize_t count = ::read(s.process.output.get(), room.data(), room.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count <= 0) {
      s.output_ended = true;
      break;
    }
    s.incoming.added(static_cast<std::size_t>(count));
    if (s.incoming.announced() > kMaximumFrame) {
      s.reject(s.incoming.announced());
      return {};
    }
    if (s.incoming.complete()) return s.incoming.take();
  }
  if (over)
    s.finish(kill_and_reap(s.process.pid), false);
  else if (s.output_ended && !s.ended.open())
    s.kill();  // without a pidfd nothing would wake the caller; a child that closed its output is of no use anyway
  return {};
}

std::string Child::take_stderr() {
  state_->read_stderr();
  return std::exchange(state_->fresh, {});
}

}  // namespace kerlab
