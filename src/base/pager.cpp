#include "base/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "base/child_process.h"
#include "base/terminal.h"

extern char** environ;

namespace kerlab {

namespace {

constexpr int kNoSuchProgram = 127;  // of a shell

void flush_output() {
  std::cout.flush();
  std::fflush(stdout);
}

std::string contents(int file) {
  std::string text(static_cast<std::size_t>(std::max<off_t>(::lseek(file, 0, SEEK_END), 0)), '\0');
  ::lseek(file, 0, SEEK_SET);
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t more = ::read(file, text.data() + got, text.size() - got);
    if (more <= 0) break;
    got += static_cast<std::size_t>(more);
  }
  text.resize(got);
  return text;
}

bool fits_screen(std::string_view text) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return true;
  return lines_on_screen(text, size.ws_col) < size.ws_row;
}

/// Ctrl-C is the pager's while it runs.
class WithoutInterrupt {
 public:
  WithoutInterrupt() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &before_);
  }
  WithoutInterrupt(const WithoutInterrupt&) = delete;
  WithoutInterrupt& operator=(const WithoutInterrupt&) = delete;
  ~WithoutInterrupt() { ::sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

/// Whether the pager was there. It reads a file, no pipe: one that is quit early stops nobody.
bool run_pager(const std::string& command, int text) {
  const WithoutInterrupt interrupt;
  ::setenv("LESS", "FRX", 0);
  ::lseek(text, 0, SEEK_SET);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, text, STDIN_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string shell = "sh", option = "-c", line = command;
  char* const argv[] = {shell.data(), option.data(), line.data(), nullptr};
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return !WIFEXITED(status) || WEXITSTATUS(status) != kNoSuchProgram;
}

}  // namespace

int lines_on_screen(std::string_view text, int columns) {
  int lines = 0, used = 0;
  bool in_colour = false;
  for (const char c : text) {
    if (in_colour) {
      in_colour = c != 'm';
    } else if (c == '\x1b') {
      in_colour = true;
    } else if (c == '\n') {
      ++lines;
      used = 0;
    } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80 && ++used > std::max(columns, 1)) {
      ++lines;
      used = 1;
    }
  }
  return used > 0 ? lines + 1 : lines;
}

std::string pager_command() {
  for (const char* variable : {"KERLAB_PAGER", "PAGER"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr) return std::string_view(value) == "cat" ? "" : value;
  }
  return find_program("less") ? "less -FRX" : "";
}

Pager::Pager(bool wanted) {
  if (!wanted || !is_terminal(stdout) || is_dumb_terminal() || pager_command().empty()) return;
  flush_output();
  const int columns = terminal_width(stdout);
  text_ = ::memfd_create("kerlab output", MFD_CLOEXEC);
  terminal_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (text_ < 0 || terminal_ < 0 || ::dup2(text_, STDOUT_FILENO) < 0) {
    if (text_ >= 0) ::close(text_);
    if (terminal_ >= 0) ::close(terminal_);
    text_ = terminal_ = -1;
    return;
  }
  had_columns_ = std::getenv("COLUMNS") != nullptr;
  ::setenv("COLUMNS", std::to_string(columns).c_str(), 0);
}

Pager::~Pager() {
  if (text_ < 0) return;
  flush_output();
  ::dup2(terminal_, STDOUT_FILENO);
  ::close(terminal_);
  if (!had_columns_) ::unsetenv("COLUMNS");
  try {
    const std::string text = contents(text_);
    if (fits_screen(text) || !run_pager(pager_command(), text_)) write_all(STDOUT_FILENO, text);
  } catch (const std::exception&) {
    // No memory for a copy: what was printed is lost, the exit code is not.
  }
  ::close(text_);
}

}  // namespace kerlab
