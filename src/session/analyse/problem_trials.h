#pragma once
// Every stored trial of a problem on a class of devices, whichever session tried it.

#include <string>
#include <vector>

#include "db/database.h"

namespace kerlab::session {

struct ProblemTrial {
  Trial trial;
  std::optional<Measurement> measurement;  ///< the newest of the most trusted stage: final, bench, screen
  bool winner = false;                     ///< of the newest decision
  bool tied = false;                       ///< with that
};

/// The fastest first, then those that have no time, in the order in which they were stored.
std::vector<ProblemTrial> problem_trials(const Database& database, const std::string& problem,
                                         const std::string& device_class);

}  // namespace kerlab::session
