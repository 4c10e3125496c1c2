#pragma once
// The worker: a child process that owns one device, and the parent's client of it.

#include <string>
#include <vector>

#include "worker/messages.h"

namespace kerlab {

/// Body of `kerlab worker --device ID`: serves requests until Bye or end of input. Returns the exit code.
int run_worker(const std::string& device_id);

/// The parent's side: one request outstanding at a time, with a deadline. Never blocks except in `wait`.
class WorkerClient {
 public:
  struct Options {
    std::vector<std::string> command;   ///< {"/path/kerlab","worker"}, or a user's launcher in front of it
    std::string device_id;
  };
  explicit WorkerClient(Options options);

  enum class Event { none, reply, died, deadline };
  /// What became of the outstanding request.
  struct Outcome {
    Event event = Event::none;
    Reply reply;                        ///< when event == reply
    std::string message;                ///< when died or deadline: how, with the tail of standard error
  };

  /// Starts the child (or starts it anew) and exchanges hello. Throws Error when it cannot be had at all.
  const DeviceInfo& start();
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
  std::vector<Child> child_;            ///< none or one
  DeviceInfo info_;
  bool busy_ = false;
  Clock::time_point deadline_{};
  int starts_ = 0;
};

}  // namespace kerlab
