#pragma once

#include <string>

#include "trial/trial.h"

namespace kerlab::session {

/// How something ended, and the sentence that says so, without the name of what ended; empty when passed.
struct Ending {
  TrialStatus status = TrialStatus::passed;
  std::string message;
  TrialReason reason = TrialReason::none;

  [[nodiscard]] bool passed() const { return status == TrialStatus::passed; }
  /// What becomes of the trial.
  void record_in(Trial& trial) const {
    trial.status = status;
    trial.message = message;
    trial.reason = reason;
  }
};

}  // namespace kerlab::session
