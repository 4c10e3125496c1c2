#pragma once
// What waits for the gate on times: a kernel that is right, beside its baseline's.

#include "session/regress/regress_gate.h"
#include "session/regress/time_gate.h"

namespace kerlab::session {

struct RegressSession::Timed {
  std::size_t row = 0, baseline = 0;  ///< indices
  TimedPair pair;                     ///< until it is timed
  double flops = 0;
};

}  // namespace kerlab::session
