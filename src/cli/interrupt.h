#pragma once
// Ctrl-C and SIGTERM as a flag to look at; a second one ends the process as usual.

namespace kerlab {

class InterruptFlag {
 public:
  InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;
  ~InterruptFlag();
  [[nodiscard]] bool raised() const;
};

}  // namespace kerlab
