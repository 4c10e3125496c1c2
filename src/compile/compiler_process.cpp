#include "compile/compiler_process.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kerlab::compile {

Job end_job(Compiler& compiler, double& busy_seconds) {
  busy_seconds += std::chrono::duration<double>(Clock::now() - compiler.since).count();
  Job job = std::move(*compiler.job);
  compiler.job.reset();
  return job;
}

std::string with_tail(std::string message, const ChildExit& exit) {
  if (!exit.stderr_tail.empty()) message += "; it said: " + exit.stderr_tail;
  return message;
}

void wait_for(const std::vector<int>& descriptors, Clock::time_point until) {
  std::vector<pollfd> fds;
  for (const int fd : descriptors) fds.push_back({fd, POLLIN, 0});
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  ::poll(fds.data(), fds.size(), static_cast<int>(std::clamp<long>(left, 0, 1000)));
}

}  // namespace kerlab::compile
