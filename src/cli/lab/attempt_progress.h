#pragma once
// The line that says what an attempt under way does, and for how long.

#include <functional>
#include <string>

#include "base/elapsed.h"
#include "base/interrupt.h"
#include "base/terminal.h"
#include "session/history/attempt.h"

namespace kerlab::cli {

/// "checking for 3 s, limit 5 s"
std::string stage_text(const AttemptStage& stage, double seconds);

/// While it lives, a terminal shows what is waited for once that takes a second.
class AttemptProgress {
 public:
  /// `also`: called as often, may throw to end what is waited for; `hint` follows the text: "Ctrl-C ends it".
  AttemptProgress(std::function<AttemptStage()> stage, std::string hint, std::function<void()> also = {});

 private:
  void look();

  std::function<AttemptStage()> stage_;
  std::string hint_;
  std::function<void()> also_;
  ProgressLine line_;
  bool shown_;
  std::string doing_;
  Clock::time_point since_ = Clock::now();
  LookWhileWaiting looking_;  ///< last: nobody looks before the others are there
};

}  // namespace kerlab::cli
