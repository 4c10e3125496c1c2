#pragma once
// What stands below the finalists in a tune's ranking, and what the winner is compared with from the database.

#include "session/tune/finals.h"
#include "session/tune/ladder.h"

namespace kerlab::session {

inline constexpr std::size_t kRanked = 10;  ///< rows of a ranking

/// Where the time of a ranked trial comes from.
enum class Timed { finals, sweep, before };

/// A verified trial that was not in the finals of this session.
struct OtherTrial {
  Trial trial;
  double median_us = 0;
  Timed timed = Timed::sweep;
};

/// The fastest of them, so many that the ranking has kRanked rows; of equal programs one, and none that is a row of the
/// finals.
std::vector<OtherTrial> other_trials(const std::deque<Screened>& screened, const std::vector<FinalRow>& finals);

/// The fastest stored time of the family's first rung on this problem, by the same clock; none: it never ran.
std::optional<RungTime> first_rung(const KernelFolder& folder, const Database& database, const Trial& winner,
                                   const Measurement& measurement);

}  // namespace kerlab::session
