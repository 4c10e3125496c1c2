#include "base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/split.h"

namespace kerlab {

namespace {

[[noreturn]] void fail(const std::string& program, std::string_view what, int error) {
  throw Error(fmt::format("cannot start '{}': {}: {}", program, what, std::strerror(error)));
}

/// Moves a descriptor above 2: a parent that runs with standard input closed would otherwise be given 0 for a pipe, and
/// the dup2 calls of the child would tread on it.
Descriptor above_stdio(int fd) {
  if (fd < 0 || fd > 2) return Descriptor(fd);
  const Descriptor low(fd);
  return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

struct Ends {
  Descriptor parent, child;
};

Ends make_input(const std::string& program) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) fail(program, "socketpair", errno);
  return {above_stdio(fds[0]), above_stdio(fds[1])};
}

Ends make_output(const std::string& program) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) fail(program, "pipe", errno);
  return {above_stdio(fds[0]), above_stdio(fds[1])};
}

/// environ with `additions` replacing entries of the same name.
std::vector<std::string> merged_environment(const std::vector<std::string>& additions) {
  std::vector<std::string> merged = additions;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const auto same = [&](const std::string& added) { return std::string_view(added).starts_with(name); };
    if (std::none_of(additions.begin(), additions.end(), same)) merged.emplace_back(text);
  }
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// All that the forked child needs, ready to use: after fork it may only make async-signal-safe calls.
struct ExecPlan {
  const char* program;
  char* const* argv;
  char* const* environment;
  int input, output, error, report;
  pid_t parent;
};

[[noreturn]] void exec_child(const ExecPlan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);  // the parent ended before prctl: no signal will come any more
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_IGN);  // Ctrl-C is the parent's to handle, also when a launcher forwards it
  // Crashing is a child's daily work; a core file of a process with a GPU mapped can take minutes to write.
  rlimit core{};
  if (getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &core);
  }
  if (dup2(plan.input, 0) >= 0 && dup2(plan.output, 1) >= 0 && dup2(plan.error, 2) >= 0)
    execve(plan.program, plan.argv, plan.environment);
  const int reason = errno;
  [[maybe_unused]] const auto written = write(plan.report, &reason, sizeof reason);
  _exit(127);
}

/// Waits until exec has succeeded (the pipe closes) or failed (it carries errno).
int exec_error(int report) {
  int reason = 0;
  ssize_t count;
  do count = read(report, &reason, sizeof reason);
  while (count < 0 && errno == EINTR);
  return count == sizeof reason ? reason : 0;
}

void set_nonblocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::optional<std::string> find_program(std::string_view program) {
  if (program.find('/') != std::string_view::npos) return std::string(program);
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    const std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, program);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

StartedProcess start_process(const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
  if (argv.empty()) throw Error("cannot start a program: empty command");
  // Before fork: only simple calls are safe after it.
  const std::optional<std::string> found = find_program(argv[0]);
  if (!found) throw Error(fmt::format("cannot start '{}': not found in PATH", argv[0]));
  const std::string& program = *found;
  std::vector<std::string> arguments = argv;
  std::vector<std::string> variables = merged_environment(environment);
  const std::vector<char*> argument_list = pointers(arguments);
  const std::vector<char*> variable_list = pointers(variables);
  Ends input = make_input(program), output = make_output(program), error = make_output(program),
       report = make_output(program);
  const ExecPlan plan{program.c_str(),    argument_list.data(), variable_list.data(), input.child.get(),
                      output.child.get(), error.child.get(),    report.child.get(),   getpid()};
  // make_output gives {read end, write end}: the parent reads, the child writes.
  const pid_t pid = fork();
  if (pid < 0) fail(program, "fork", errno);
  if (pid == 0) exec_child(plan);
  report.child.close();
  if (const int reason = exec_error(report.parent.get()); reason != 0) {
    wait_for(pid);
    fail(program, "exec", reason);
  }
  for (const int fd : {input.parent.get(), output.parent.get(), error.parent.get()}) set_nonblocking(fd);
  return {pid, std::move(input.parent), std::move(output.parent), std::move(error.parent)};
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  // An error means that it is reaped already: kerlab was started with SIGCHLD ignored.
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | WNOHANG) != 0 || info.si_pid != 0;
}

int kill_and_reap(pid_t pid) {
  ::kill(-pid, SIGKILL);
  return wait_for(pid);
}

bool drain(int fd, std::string& text) {
  char buffer[16384];
  for (int rounds = 0; rounds < 64; ++rounds) {
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count == 0) return false;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace kerlab
