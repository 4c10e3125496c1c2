#pragma once
// A child process that speaks length-prefixed frames on its standard input and output. Used for compilers and workers
// alike; the parent drives many of them with one poll() loop and never blocks on one.

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kerlab {

using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

/// How a child ended.
struct ChildExit {
  int status = 0;                              ///< as from waitpid
  bool killed_by_us = false;                   ///< we sent the signal (deadline, shutdown)
  std::string stderr_tail;                     ///< last 8 KiB of what it wrote to standard error
  [[nodiscard]] std::string describe() const;  ///< "killed by signal 11 (SIGSEGV)", "exit code 3"
};

/// One running child. Its own process group; dies with the parent (PDEATHSIG, and end of input); ignores SIGINT.
/// The destructor kills the group and reaps; it never throws.
class Child {
 public:
  /// `argv[0]` is looked up in PATH; `environment` entries NAME=VALUE are added. Throws Error if it cannot be started.
  /// Call it from a thread that lives as long as the child should: PDEATHSIG follows the thread, not the process.
  static Child spawn(const std::vector<std::string>& argv, const std::vector<std::string>& environment = {});
  Child(Child&&) noexcept;
  Child& operator=(Child&&) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  [[nodiscard]] pid_t pid() const;
  /// Descriptors to poll for reading: frames, and standard error.
  [[nodiscard]] int output_fd() const;
  [[nodiscard]] int error_fd() const;
  /// Queues a frame and writes what fits; `wants_write()` tells to poll `input_fd()` and call `flush()`.
  void send(Bytes frame);
  [[nodiscard]] bool wants_write() const;
  [[nodiscard]] int input_fd() const;
  void flush();
  /// Reads what is there without blocking, standard error as well; a whole frame if one is complete (there may be more:
  /// call until it gives none).
  std::optional<Bytes> receive();
  /// Set once the child has ended and every complete frame was received.
  [[nodiscard]] const std::optional<ChildExit>& exit() const;
  /// What it wrote to standard error since the last call (at most the last 8 KiB).
  std::string take_stderr();
  /// SIGKILL to the process group, then reaps. `exit()` is set afterwards.
  void kill();

 private:
  struct State;
  explicit Child(State* state);
  State* state_ = nullptr;
};

/// The child's side: takes over descriptors 0 and 1 for frames, points 0 at /dev/null and 1 at 2 (so that device printf
/// and launchers cannot disturb the stream), sets PDEATHSIG and ignores SIGINT.
class FrameChannel {
 public:
  static FrameChannel take_over_stdio();
  FrameChannel(int input, int output) : input_(input), output_(output) {}
  /// Blocks; nullopt at end of input (the parent is gone: exit). Throws Error on a frame above `kMaximumFrame`.
  std::optional<Bytes> read();
  void write(std::span<const std::byte> frame);
  /// Ends the process `grace` after the other end of the input is closed, even while a compiler or a kernel hangs.
  /// PDEATHSIG does this at once for a direct child; it does not reach through a launcher such as srun. The grace lets
  /// an idle child see its end of input and leave in order.
  void start_watchdog(std::chrono::milliseconds grace = std::chrono::milliseconds(500)) const;

 private:
  int input_;
  int output_;
};

inline constexpr std::size_t kMaximumFrame = std::size_t{1} << 30;

/// Runs a program to its end with a deadline; for tests and small tools (nvdisasm). No shell.
struct ProcessResult {
  int exit_code = -1;  ///< 128 + signal when killed
  std::string out;
  std::string err;
};
ProcessResult run_process(const std::vector<std::string>& argv, std::chrono::milliseconds deadline,
                          const std::vector<std::string>& environment = {});

}  // namespace kerlab
