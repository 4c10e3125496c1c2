#pragma once
// A program at a terminal: what is typed, and what the screen was sent.

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

class PseudoTerminal {
 public:
  /// Starts the program, 100 columns by `rows`; `environment`: NAME=VALUE beside this process's own.
  PseudoTerminal(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                 const std::string& folder, unsigned short rows = 40) {
    winsize size{rows, 100, 0, 0};
    child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (child_ < 0) throw std::runtime_error("forkpty failed");
    if (child_ > 0) return;
    for (const std::string& entry : environment) ::putenv(const_cast<char*>(entry.c_str()));
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    if (::chdir(folder.c_str()) == 0) ::execv(words.front(), words.data());
    ::_exit(127);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;
  ~PseudoTerminal() {
    ::close(terminal_);
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }

  void type(const std::string& keys) const {
    if (::write(terminal_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
      throw std::runtime_error("the terminal does not take what is typed");
  }

  /// Reads until the text appears behind what was waited for last; false: it did not within `patience`, or the program
  /// ended.
  bool wait_for(const std::string& text, std::chrono::seconds patience = std::chrono::seconds(60)) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (true) {
      const std::size_t at = screen_.find(text, seen_);
      if (at != std::string::npos) {
        answer_ = screen_.substr(seen_, at - seen_);
        seen_ = at + text.size();
        return true;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      if (left.count() <= 0 || !read_some(static_cast<int>(left.count()))) return false;
    }
  }

  /// What was written between the last two texts waited for.
  [[nodiscard]] const std::string& answer() const { return answer_; }
  [[nodiscard]] std::string rest() const { return screen_.substr(seen_); }
  [[nodiscard]] const std::string& screen() const { return screen_; }  ///< all of it

  /// Reads to the end; the exit code, 128 + signal when killed.
  int end() {
    while (read_some(60000)) {
    }
    int status = 0, glances = 100;
    while (::waitpid(child_, &status, WNOHANG) == 0) {
      if (glances-- == 0) ::kill(child_, SIGKILL);  // it hangs
      ::usleep(50'000);
    }
    child_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  bool read_some(int patience_ms) {
    pollfd waiting{terminal_, POLLIN, 0};
    if (::poll(&waiting, 1, patience_ms) <= 0) return false;
    char bytes[4096];
    const ssize_t count = ::read(terminal_, bytes, sizeof bytes);
    if (count <= 0) return false;
    screen_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  int terminal_ = -1;
  pid_t child_ = 0;
  std::string screen_, answer_;
  std::size_t seen_ = 0;
};
