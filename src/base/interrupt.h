#pragma once
// Ctrl-C, SIGTERM and the end of the terminal as a flag to look at.

#include <chrono>

namespace kerlab {

/// Catches them while it lives (SIGHUP not below nohup); a second one ends the process as usual. May be nested: the
/// inner one begins unraised, and what it caught is forgotten with it.
class InterruptFlag {
 public:
  InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;
  ~InterruptFlag();
  [[nodiscard]] bool raised() const;
  [[nodiscard]] bool terminated() const;  ///< raised by SIGTERM or SIGHUP
};

/// Of a program that goes on after an interrupted command (the lab). While one lives, no number of Ctrl-C ends the
/// process; instead `end_interrupted_wait` throws, so that no wait for a compiler or a worker outlasts the first.
class InterruptedWaitsEnd {
 public:
  InterruptedWaitsEnd();
  InterruptedWaitsEnd(const InterruptedWaitsEnd&) = delete;
  InterruptedWaitsEnd& operator=(const InterruptedWaitsEnd&) = delete;
  ~InterruptedWaitsEnd();

 private:
  InterruptFlag flag_;
};

/// Called by whatever blocks, between two looks, at least every longest_wait(). Throws Error (interrupted) where that
/// is wanted and was signalled.
void end_interrupted_wait();
std::chrono::milliseconds longest_wait();

}  // namespace kerlab
