#pragma once
// What is known about one stored trial, as `kerlab show` shows it.

#include <optional>
#include <vector>

#include "model/operations.h"
#include "model/roofline.h"
#include "trial/trial.h"

namespace kerlab::session {

/// What is not known is empty or 0.
struct TrialFacts {
  Trial trial;
  std::vector<Measurement> measurements;  ///< oldest first
  std::optional<Occupancy> occupancy;     ///< of the heaviest kernel
  std::optional<Roofline> roof;           ///< theoretical, of its problem on its device
  double flops = 0;                       ///< of the problem
  bool winner = false;                    ///< of its problem now
  Operations operations;                  ///< predicted; counted where somebody adds it
};

}  // namespace kerlab::session
