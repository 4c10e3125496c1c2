#pragma once
// The line that says what an attempt under way does, and for how long.

#include <string>

#include "base/elapsed.h"
#include "base/terminal.h"
#include "session/history/attempt.h"

namespace kerlab::cli {

/// "checking for 3 s, limit 5 s"
std::string stage_text(const AttemptStage& stage, double seconds);

/// On a terminal, and of what takes longer than a second.
class AttemptProgress {
 public:
  /// `hint` follows the text: "Ctrl-C ends it".
  explicit AttemptProgress(const std::string& hint);
  /// Between two steps.
  void show(const AttemptStage& stage);

 private:
  std::string hint_;
  ProgressLine line_;
  bool shown_;
  std::string doing_;
  Clock::time_point since_ = Clock::now();
};

}  // namespace kerlab::cli
