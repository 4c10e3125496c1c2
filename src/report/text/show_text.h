#pragma once
// What `kerlab show` prints about one trial.

#include <optional>
#include <string>
#include <vector>

#include "model/operations.h"
#include "model/roofline.h"
#include "trial/trial.h"

namespace kerlab::report {

/// A trial with what else is known about it; what is not there is not shown.
struct TrialStory {
  Trial trial;
  std::vector<Measurement> measurements;  ///< oldest first
  std::optional<Occupancy> occupancy;     ///< of the heaviest kernel
  std::optional<Roofline> roof;           ///< of its problem on its device
  double flops = 0;                       ///< of the problem
  bool winner = false;                    ///< of its problem now
  Operations operations;                  ///< predicted beside counted
  std::string accuracy;                   ///< error over bound of the same kernel in stored trials; a line
  std::string alike;                      ///< of a failed trial: what is known of others that failed so; lines
  std::string reproduce;                  ///< the command that runs it again
  std::string again;                      ///< options that commands must repeat: " --db FILE"; may be empty
};

/// `width`: of the terminal; 0: any.
std::string show_text(const TrialStory& story, bool color, int width = 0);

}  // namespace kerlab::report
