#pragma once
// What stands below the finalists in a tune's ranking, and what the winner is compared with from the database.

#include "session/tune/finals.h"
#include "session/tune/ladder.h"

namespace kerlab::session {

inline constexpr std::size_t kRanked = 10;  ///< rows of a ranking

/// The fastest verified trials that were not in the finals of this session, so many that the ranking has kRanked rows;
/// of equal programs one, and none that is a row of the finals.
std::vector<RankedTrial> other_trials(const std::deque<Screened>& screened, const std::vector<RankedTrial>& finals);

/// The fastest stored time of the family's first rung on this problem, by the same clock; none: it never ran.
std::optional<TimedTrial> first_rung(const KernelFolder& folder, const Database& database, const Trial& winner,
                                     const Measurement& measurement);

}  // namespace kerlab::session
