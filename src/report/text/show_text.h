#pragma once
// What `kerlab show` prints about one trial.

#include "session/analyse/trial_facts.h"

namespace kerlab::report {

/// A trial with what else is said about it; what is not there is not shown.
struct TrialStory : TrialFacts {
  std::string accuracy = {};   ///< error over bound of the same kernel in stored trials; a line
  std::string alike = {};      ///< of a failed trial: what is known of others that failed so; lines
  std::string reproduce = {};  ///< the command that runs it again
  std::string again = {};      ///< options that commands must repeat: " --db FILE"; may be empty
};

/// `width`: of the terminal; 0: any.
std::string show_text(const TrialStory& story, bool color, int width = 0);

}  // namespace kerlab::report
