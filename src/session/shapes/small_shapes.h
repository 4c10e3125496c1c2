#pragma once
// Small ragged problems of a kind: what is executed whole where the problem asked for would take too long.

#include <optional>

#include "spec/spec.h"

namespace kerlab::session {

/// within: no extent larger than that asked for, and some smaller. ragged: so too, but what is small itself becomes one
/// less, or the next lower multiple. freely: whatever was asked for.
enum class SmallShapes : std::uint8_t { within, ragged, freely };

/// Multiples of which the extents of small problems are, to be tried in this order: in the first no tile divides.
inline constexpr std::int64_t kSmallMultiples[] = {1, 4, 8, 64};

/// One with a multiple of its own for each dimension; none: it would not be smaller than the problem.
std::optional<ProblemRequest> small_shape(const Family& family, const Problem& problem, SmallShapes how,
                                          const std::vector<std::int64_t>& multiples);
/// The same multiple for all.
std::optional<ProblemRequest> small_shape(const Family& family, const Problem& problem, SmallShapes how,
                                          std::int64_t multiple);

}  // namespace kerlab::session
