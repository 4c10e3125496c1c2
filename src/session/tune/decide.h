#pragma once
// Who wins. Every verified trial of the problem with a comparable time is a contestant, of this session or stored,
// whatever the session was asked for; the finals choose among them, and of finalists measured side by side ties are
// declared and broken by rule, so that the winner does not flip between runs that differ by noise. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include "session/tune/screening.h"

namespace kerlab::session {

/// A verified trial and its time. Of trials timed side by side the samples are by round.
struct TimedTrial {
  Trial trial;
  Measurement measurement;
};

inline constexpr double kTieMargin = 0.01;
inline constexpr std::size_t kLargestTie = 4;
inline constexpr std::size_t kMostFinalists = 8, kMostFromSeveral = 2 * kMostFinalists, kMostOutside = 4;

/// Those that the finals compare, of candidates with a time: of those asked for the fastest, of the others those that
/// may win, each by time. Beside stricter ones the weaker ones that were asked for are compared among themselves, the
/// others not at all. The trial `standing` is the winner so far: it gives way only in the finals.
/// `several_devices`: times of different devices differ by more than those of one.
std::vector<Screened*> choose_finalists(const std::vector<Screened*>& field, std::int64_t standing,
                                        bool several_devices);

/// Whether a stored time is so much shorter than the winner's that a decision which did not look at it cannot stand.
bool overturns(double us, double winner_us);

struct Verdict {
  std::vector<std::size_t> order;  ///< of the finalists, the winner first, its tie set next, then by time
  std::size_t ties = 1;            ///< members of the tie set, the winner included
  TieBreak tie_break = TieBreak::none;
};

/// The rule that breaks ties: fewer registers, then less shared memory, then the first by name.
bool goes_first(const Trial& one, const Trial& other);

/// `finalists` must not be empty. A tie with the fastest: the median is at most kTieMargin above, or the rounds do not
/// show that it is (lower bound of the paired 95 % interval).
Verdict decide(const std::vector<TimedTrial>& finalists);

}  // namespace kerlab::session
