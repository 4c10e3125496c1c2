#pragma once
// A session of many steps that Ctrl-C ends where it is, in the middle of a step as well.

#include <functional>

#include "base/interrupt.h"
#include "base/modules.h"

namespace kerlab::cli {

/// Ctrl-C as a flag; a wait for a compiler or a worker ends at once.
class Interruptible {
 public:
  [[nodiscard]] bool raised() const { return interrupt_.raised(); }
  [[nodiscard]] const InterruptFlag& flag() const { return interrupt_; }
  /// Calls `step` as long as it says that there is more. True: it was interrupted before that.
  [[nodiscard]] bool run(const std::function<bool()>& step) const;

 private:
  InterruptFlag interrupt_;
  InterruptedWaitsEnd waits_;
};

}  // namespace kerlab::cli
