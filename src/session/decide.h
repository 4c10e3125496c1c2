#pragma once
// From finalists measured side by side to a winner: ties are declared and broken by rule, so that the winner does not
// flip between runs that differ by noise. Pure.

#include <cstdint>
#include <string>
#include <vector>

namespace kerlab {

struct Finalist {
  double median_us = 0;
  std::int64_t registers = 0;
  std::int64_t shared_bytes = 0;
  std::string label;
  std::vector<double> samples_us = {};  ///< by round: those of one round were taken side by side
};

inline constexpr double kTieMargin = 0.01;
inline constexpr std::size_t kLargestTie = 4;

struct Verdict {
  std::vector<std::size_t> order;  ///< finalists, the winner first, its tie set next, then by time
  std::size_t ties = 1;            ///< members of the tie set, the winner included
  std::string rule;  ///< "fastest", "tie: fewer registers", "tie: less shared memory", "tie: first by name"
};

/// The rule that breaks ties: fewer registers, then less shared memory, then the first by name.
bool goes_first(const Finalist& one, const Finalist& other);

/// `finalists` must not be empty. A tie with the fastest: the median is at most kTieMargin above, or the rounds do not
/// show that it is (lower bound of the paired 95 % interval).
Verdict decide(const std::vector<Finalist>& finalists);

}  // namespace kerlab
