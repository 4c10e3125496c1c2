#pragma once
// Proof that a device computes at all: after a worker was started anew, and on request.

#include "device/lab.h"

namespace kerlab::measure {

struct CanaryResult {
  bool right = false;
  double us = 0;
};

/// Runs lab_canary over every SM and compares every word with what the host computes.
CanaryResult run_canary(Lab& lab);

}  // namespace kerlab::measure
