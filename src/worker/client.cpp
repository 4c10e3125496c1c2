// The parent's side of a worker.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/error_about.h"
#include "base/interrupt.h"
#include "worker/worker.h"

namespace kerlab::worker {
namespace {

/// Making a context takes 0.1 s; a loaded machine, a launcher such as srun, or another kerlab on the device take
/// longer.
constexpr std::chrono::milliseconds kHelloDeadline{30000};
constexpr std::size_t kShownStderr = 600;

/// The end of what the child said, on one line of the message.
std::string tail_of(const std::string& text) {
  std::string tail = text.size() > kShownStderr ? text.substr(text.size() - kShownStderr) : text;
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  return tail.empty() ? "" : fmt::format("; its last words: {}", tail);
}

}  // namespace

WorkerClient::WorkerClient(Options options) : options_(std::move(options)) {}

const DeviceInfo& WorkerClient::start() {
  spawn();
  return greet();
}

void WorkerClient::spawn() {
  child_.clear();
  busy_ = false;
  std::vector<std::string> command = options_.command;
  command.insert(command.end(), {"--device", options_.device_id});
  if (options_.patience && starts_ == 0)
    command.insert(command.end(), {"--patience", fmt::format("{}", options_.patience->count())});
  for (const std::string& file : options_.plugins) command.insert(command.end(), {"--library", file});
  child_.push_back(Child::spawn(command));
  ++starts_;
  send(request::Hello{}, kHelloDeadline);
}

const DeviceInfo& WorkerClient::greet() {
  const Outcome outcome = wait();
  const std::string who = fmt::format("worker for --device {}", options_.device_id);
  if (outcome.event != Event::reply)
    throw ErrorAbout<Error, AboutDevice>(fmt::format("{} did not start: {}", who, outcome.message));
  if (const auto* fault = std::get_if<reply::Fault>(&outcome.reply)) {
    child_.clear();
    if (fault->device_taken) throw DeviceTaken(fault->message);
    throw ErrorAbout<Error, AboutDevice>(fault->message, static_cast<ExitCode>(fault->exit_code));
  }
  const auto* hello = std::get_if<reply::Hello>(&outcome.reply);
  if (hello == nullptr || hello->magic != kProtocolMagic || hello->version != kProtocolVersion) {
    child_.clear();
    throw Error(fmt::format("{}: '{}' is not this version of kerlab", who, options_.command.front()));
  }
  info_ = hello->device;
  return info_;
}

bool WorkerClient::running() const {
  return !child_.empty() && !child_.front().exit();
}
bool WorkerClient::busy() const {
  return busy_;
}
Clock::time_point WorkerClient::deadline() const {
  if (!busy_) return Clock::time_point::max();
  // A request larger than the socket's buffer goes on as the worker reads it.
  return child_.front().wants_write() ? Clock::now() + std::chrono::milliseconds(1) : deadline_;
}
int WorkerClient::respawns() const {
  return std::max(0, starts_ - 1);
}

void WorkerClient::send(const Request& request, std::chrono::milliseconds deadline) {
  if (busy_) throw Error("worker client: a request is still outstanding");
  if (child_.empty()) throw Error("worker client: not started");
  child_.front().send(encode(request));
  patience_ = deadline;
  deadline_ = Clock::now() + deadline;
  busy_ = true;
}

std::vector<int> WorkerClient::fds() const {
  if (child_.empty()) return {};
  std::vector<int> open;
  for (const int fd : {child_.front().output_fd(), child_.front().error_fd()})
    if (fd >= 0) open.push_back(fd);
  return open;
}

WorkerClient::Outcome WorkerClient::poll() {
  if (!busy_) return {};
  Child& child = child_.front();
  if (child.wants_write()) child.flush();
  Outcome outcome;
  try {
    while (const std::optional<Bytes> frame = child.receive()) {
      outcome.reply = decode_reply(*frame);
      if (std::holds_alternative<reply::Working>(outcome.reply)) {
        deadline_ = Clock::now() + patience_;
        continue;
      }
      outcome.event = Event::reply;
      busy_ = false;
      return outcome;
    }
  } catch (const Error& error) {
    child.kill();  // what it says is not to be understood: as good as dead
    outcome.message = error.what();
  }
  if (!child.exit() && Clock::now() < deadline_) return outcome;
  outcome.event = child.exit() ? Event::died : Event::deadline;
  if (!child.exit()) child.kill();
  const std::string how = outcome.event == Event::deadline ? "no answer before the deadline; the process was killed"
                                                           : "the worker process ended: " + child.exit()->describe();
  outcome.message = (outcome.message.empty() ? how : outcome.message) + tail_of(child.exit()->stderr_tail);
  child_.clear();
  busy_ = false;
  return outcome;
}

WorkerClient::Outcome WorkerClient::wait() {
  while (true) {
    Outcome outcome = poll();
    if (outcome.event != Event::none || !busy_) return outcome;
    end_interrupted_wait();
    std::vector<pollfd> waiting;
    for (const int fd : fds()) waiting.push_back({fd, POLLIN, 0});
    if (child_.front().wants_write()) waiting.push_back({child_.front().input_fd(), POLLOUT, 0});
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    ::poll(waiting.data(), waiting.size(), static_cast<int>(std::clamp<long>(left + 1, 0, longest_wait().count())));
  }
}

void WorkerClient::stop() {
  if (running() && !busy_) {
    try {
      send(request::Bye{}, std::chrono::milliseconds(2000));
      wait();
    } catch (const Error&) {
      // It is on its way out in any case.
    }
  }
  child_.clear();
  busy_ = false;
}

}  // namespace kerlab::worker
