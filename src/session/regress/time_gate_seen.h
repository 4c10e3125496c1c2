#pragma once
// What the gate on times has seen of a pair, in all processes.

#include <algorithm>

#include "session/regress/time_gate.h"
#include "stats/samples.h"

namespace kerlab::session {

struct TimeGate::Seen {
  std::vector<ProcessPairs> first, second;  ///< batches: of the gate, of its confirmation
  std::vector<ProcessPairs> toolchain;      ///< stored cubin against the same source compiled today
  std::vector<ProcessPairs> cycles;         ///< the gate's pairs in SM cycles
  std::vector<double> samples_us;           ///< of all, where the clock's step counts
  GateRule rule;
  double process_s = 0;  ///< that the last process spent on it
  std::string failure, wrong, warning, conditions;

  /// Median of the base in the last process; before there is one, what was expected.
  [[nodiscard]] double launch_us(double expected) const {
    if (first.empty()) return expected;
    return median(first.back().base_us).value_or(expected);
  }
};

}  // namespace kerlab::session
