#include "session/beside/line_child.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/child.h"
#include "base/error.h"
#include "base/format.h"
#include "base/interrupt.h"

namespace kerlab::session {
namespace {

constexpr std::size_t kTail = 8192;
constexpr int kGraceSteps = 50;  // of 10 ms: Python takes some to let a CUDA context go
constexpr auto kGraceStep = std::chrono::milliseconds(10);

bool ends_within_grace(pid_t pid) {
  for (int step = 0; step < kGraceSteps; ++step) {
    if (has_ended(pid)) return true;
    std::this_thread::sleep_for(kGraceStep);
  }
  return false;
}

}  // namespace

LineChild::LineChild(const std::vector<std::string>& argv) : process_(start_process(argv, {})) {}

LineChild::~LineChild() {
  if (reaped_) return;
  process_.input.close();
  process_.output.close();
  ends_within_grace(process_.pid);
  kill_and_reap(process_.pid);
}

void LineChild::drain_all() {
  if (process_.error.open() && !drain(process_.error.get(), errors_)) process_.error.close();
  if (process_.output.open() && !drain(process_.output.get(), received_)) process_.output.close();
  if (errors_.size() > kTail) errors_.erase(0, errors_.size() - kTail);
}

std::string LineChild::last_words() {
  if (process_.error.open()) drain_all();
  return errors_;
}

void LineChild::fail(const std::string& what) {
  if (!reaped_) {
    kill_and_reap(process_.pid);
    reaped_ = true;
  }
  drain_all();
  throw Error(what);
}

void LineChild::fail_ended() {
  const bool by_itself = ends_within_grace(process_.pid);
  const ChildExit exit{kill_and_reap(process_.pid), !by_itself, ""};
  reaped_ = true;
  fail(by_itself ? fmt::format("it ended ({}) before it answered", exit.describe())
                 : "it closed its output before it answered, and was killed");
}

void LineChild::wait(short events_of_input, Until until) {
  try {
    end_interrupted_wait();
  } catch (const Error&) {
    kill_and_reap(process_.pid);
    reaped_ = true;
    throw;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now >= until)
    fail(fmt::format("no answer within {}, it was killed; --beside-timeout gives it more",
                     format_seconds(std::chrono::duration<double>(deadline_).count())));
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
  pollfd fds[3] = {{process_.output.get(), POLLIN, 0},
                   {process_.error.get(), POLLIN, 0},
                   {process_.input.get(), events_of_input, 0}};
  // One that has ended while its child keeps the pipes open wakes nobody.
  ::poll(fds, events_of_input != 0 ? 3 : 2,
         static_cast<int>(std::min({left, longest_wait(), std::chrono::milliseconds(100)}).count()));
}

void LineChild::write(std::string_view line, Until until) {
  while (!line.empty()) {
    const ssize_t count = ::send(process_.input.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      line.remove_prefix(static_cast<std::size_t>(count));
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      wait(POLLOUT, until);
      drain_all();
    } else if (count == 0 || errno != EINTR) {
      fail_ended();
    }
  }
}

std::string LineChild::ask(std::string_view line, std::chrono::milliseconds deadline) {
  if (reaped_) throw Error("it has ended");
  deadline_ = deadline;
  const Until until = std::chrono::steady_clock::now() + deadline;
  drain_all();
  if (!received_.empty())
    fail(
        fmt::format("it wrote {} bytes that nobody asked for, and was killed: a line for each request is all it may "
                    "write to standard output",
                    received_.size()));
  write(fmt::format("{}\n", line), until);
  for (;;) {
    const bool over = has_ended(process_.pid);  // asked before reading, so that nothing it wrote is missed
    drain_all();
    if (const std::size_t end = received_.find('\n'); end != std::string::npos && end <= kLongestAnswer) {
      std::string answer = received_.substr(0, end);
      received_.erase(0, end + 1);
      return answer;
    }
    if (received_.size() > kLongestAnswer)
      fail(fmt::format("its answer has more than {} bytes, it was killed", kLongestAnswer));
    if (over || !process_.output.open()) fail_ended();
    wait(0, until);
  }
}

}  // namespace kerlab::session
