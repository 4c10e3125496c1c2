#include <poll.h>
#include <sys/wait.h>

#include <algorithm>

#include "base/child.h"
#include "base/child_process.h"

namespace kerlab {
namespace {

/// Waits for output, at most a moment: a grandchild may hold the pipes open after the program itself has ended.
void wait_for_output(const StartedProcess& process, Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  pollfd fds[2] = {{process.output.get(), POLLIN, 0}, {process.error.get(), POLLIN, 0}};
  const bool all_closed = !process.output.open() && !process.error.open();
  ::poll(fds, 2, static_cast<int>(std::clamp<long>(left, 0, all_closed ? 2 : 50)));
}

void collect(StartedProcess& process, ProcessResult& result) {
  if (process.output.open() && !drain(process.output.get(), result.out)) process.output.close();
  if (process.error.open() && !drain(process.error.get(), result.err)) process.error.close();
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, std::chrono::milliseconds deadline,
                          const std::vector<std::string>& environment) {
  StartedProcess process = start_process(argv, environment);
  process.input.close();
  const Clock::time_point until = Clock::now() + deadline;
  ProcessResult result;
  while (!has_ended(process.pid) && Clock::now() < until) {
    wait_for_output(process, until);
    collect(process, result);
  }
  const int status = kill_and_reap(process.pid);
  // What is left in the pipes; more than one round, since a round is bounded.
  for (std::size_t before = ~std::size_t{0}; before != result.out.size() + result.err.size();) {
    before = result.out.size() + result.err.size();
    collect(process, result);
  }
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace kerlab
