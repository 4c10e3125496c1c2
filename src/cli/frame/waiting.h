#pragma once
// A command that may take long, while it works.

#include <optional>
#include <string>

#include "base/interrupt.h"
#include "base/terminal.h"
#include "session/run/stepped.h"

namespace kerlab::cli {

/// While it lives: where standard error is a terminal one line there says what is being done, elsewhere nothing; and
/// Ctrl-C ends the command's waits for compilers and workers at once (exit code 130).
class Waiting {
 public:
  /// `command`: what the line begins with: "explain".
  explicit Waiting(std::string command) : command_(std::move(command)) {
    if (is_terminal(stderr) && !is_dumb_terminal()) line_.emplace();
  }

  void say(const std::string& what) {
    if (line_) line_->update(command_ + ": " + what);
  }
  /// All of its steps, each said before it is done.
  template <typename Result>
  [[nodiscard]] Result run(Stepped<Result> work) {
    while (work.step()) say(work.doing());
    return work.take();
  }

 private:
  std::string command_;
  InterruptedWaitsEnd interrupts_;
  std::optional<ProgressLine> line_;
};

}  // namespace kerlab::cli
