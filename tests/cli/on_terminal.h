#pragma once
// A program on a pseudo-terminal: what a person sees, and keys that are pressed once something is seen.

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

struct OnTerminal {
  struct Press {
    std::string when;  ///< was seen since the last press
    std::string keys;
  };
  unsigned short rows = 24, columns = 80;
  std::vector<std::string> environment;
  std::vector<Press> presses;
  std::chrono::seconds deadline{60};

  std::string seen;
  int exit_code = -1;  ///< 128 + signal when killed

  /// Runs it to its end; the deadline kills it.
  void run(const std::vector<std::string>& arguments) {
    winsize size{rows, columns, 0, 0};
    int terminal = -1;
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (pid == 0) start(arguments);
    watch(terminal, pid);
    ::close(terminal);
  }

 private:
  [[noreturn]] void start(const std::vector<std::string>& arguments) const {
    for (const std::string& entry : environment) ::putenv(const_cast<char*>(entry.c_str()));
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(argv.front(), argv.data());
    ::_exit(127);
  }

  void watch(int terminal, pid_t pid) {
    const auto until = std::chrono::steady_clock::now() + deadline;
    std::size_t pressed = 0, from = 0;
    int status = 0;
    bool ended = false;
    while (true) {
      pollfd poll{terminal, POLLIN, 0};
      char buffer[4096];
      if (::poll(&poll, 1, 20) > 0) {
        const ssize_t got = ::read(terminal, buffer, sizeof buffer);
        if (got > 0) {
          seen.append(buffer, static_cast<std::size_t>(got));
          continue;
        }
      }
      if (pressed < presses.size() && seen.find(presses[pressed].when, from) != std::string::npos) {
        from = seen.size();
        if (::write(terminal, presses[pressed].keys.data(), presses[pressed].keys.size()) < 0) break;
        ++pressed;
      }
      if (ended) break;
      if (std::chrono::steady_clock::now() > until) ::kill(pid, SIGKILL);
      ended = ::waitpid(pid, &status, WNOHANG) == pid;
    }
    exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
};
