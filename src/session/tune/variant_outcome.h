#pragma once
// What a tune found out about each of its variants: why the winner's is the best, and what compiling them costs.

#include <deque>
#include <string>
#include <vector>

#include "session/tune/finals.h"
#include "session/tune/screening.h"

namespace kerlab::session {

struct VariantOutcome {
  std::string name;
  std::size_t tried = 0, passed = 0;
  double best_us = 0;  ///< of its fastest configuration: side by side if it was a finalist, else of the sweep; 0: none
  double behind = 0;   ///< how much slower that is than the winner, measured the same way: 0.03 is 3 %
  bool finalist = false;  ///< timed side by side with the winner
  bool tie = false;       ///< in the tie set
  std::size_t compiled = 0;
  double compile_median_ms = 0, compile_mean_ms = 0;
};

/// The winner's variant first, then by `behind`; last those of which nothing passed. Empty without a winner.
std::vector<VariantOutcome> variant_outcomes(const CandidateSpace& space, const std::deque<Screened>& screened,
                                             const FinalResult& finals);

}  // namespace kerlab::session
