#pragma once
// The worker: a child process that owns one device, and the parent's client of it.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "worker/messages.h"

namespace kerlab::worker {

/// How long a worker waits for another kerlab to let go of the device. One that was killed a moment ago may not have
/// done so yet. Less than the parent's patience with the first reply.
inline constexpr std::chrono::milliseconds kLockPatience{20000};

/// Body of `kerlab worker --device ID [--patience MILLISECONDS] [--library FILE]...`: serves requests until Bye or end
/// of input. Returns the exit code.
int run_worker(const std::string& device_id, std::chrono::milliseconds patience = kLockPatience,
               std::vector<std::string> plugins = {});

/// Another kerlab has the device.
class DeviceTaken : public Error {
 public:
  using Error::Error;
};

/// The parent's side: one request outstanding at a time, with a deadline, which a worker that tells of
/// progress (reply::Working) gets anew. Never blocks except in `wait`.
class WorkerClient {
 public:
  struct Options {
    std::vector<std::string> command;  ///< {"/path/kerlab","worker"}, or a user's launcher in front of it
    std::string device_id;
    /// Of the first start, with another kerlab on the device; none: kLockPatience. A later start may have to wait for
    /// its own predecessor.
    std::optional<std::chrono::milliseconds> patience;
    std::vector<std::string> plugins = {};  ///< files of libraries that are timed beside candidates
  };
  explicit WorkerClient(Options options);

  enum class Event { none, reply, died, deadline };
  /// What became of the outstanding request.
  struct Outcome {
    Event event = Event::none;
    Reply reply;          ///< when event == reply
    std::string message;  ///< when died or deadline: how, with the tail of standard error
  };

  /// Starts the child (or starts it anew) and exchanges hello. Throws Error when it cannot be had at all.
  const DeviceInfo& start();
  /// The two halves of `start`, so that several workers can make their contexts at once.
  void spawn();
  const DeviceInfo& greet();
  [[nodiscard]] bool running() const;
  [[nodiscard]] const DeviceInfo& device() const { return info_; }  ///< once started
  void send(const Request& request, std::chrono::milliseconds deadline);
  [[nodiscard]] bool busy() const;
  /// Descriptors to poll (POLLIN; POLLOUT where `Child::wants_write`), and when to look at the latest.
  [[nodiscard]] std::vector<int> fds() const;
  [[nodiscard]] Clock::time_point deadline() const;
  /// Looks without blocking. After died or deadline the child is gone: call start() again.
  Outcome poll();
  /// Blocks until the outstanding request has an outcome.
  Outcome wait();
  void stop();
  [[nodiscard]] int respawns() const;

 private:
  Options options_;
  std::vector<Child> child_;  ///< none or one
  DeviceInfo info_;
  bool busy_ = false;
  std::chrono::milliseconds patience_{0};  ///< of the outstanding request, from its last sign of life on
  Clock::time_point deadline_{};
  int starts_ = 0;
};

}  // namespace kerlab::worker
