#pragma once
// How a child process is started and reaped: shared by Child (frames) and run_process (plain output).

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace kerlab {

/// Owns one file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  void close() noexcept;

 private:
  int fd_ = -1;
};

/// A started program: the parent's ends are non-blocking and close on exec.
struct StartedProcess {
  pid_t pid = -1;    ///< also its process group
  Descriptor input;  ///< a socket, so that a write to a dead child can be told not to raise SIGPIPE (MSG_NOSIGNAL)
  Descriptor output;
  Descriptor error;
};

/// Starts `argv` (argv[0] looked up in PATH) in its own process group, bound to die with the calling thread. Throws
/// Error naming the program and the system's reason.
StartedProcess start_process(const std::vector<std::string>& argv, const std::vector<std::string>& environment);

/// Whether the process has ended. Does not reap: while the leader is a zombie its group's number cannot be given to
/// somebody else, so kill_and_reap() cannot hit a stranger.
bool has_ended(pid_t pid);
/// SIGKILL to the whole group, then waits for the leader; gives its wait status (its own when it had ended before).
int kill_and_reap(pid_t pid);

/// Appends what can be read without blocking; at most about 1 MiB at a time. False at end of input.
bool drain(int fd, std::string& text);

}  // namespace kerlab
