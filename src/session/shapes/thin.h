#pragma once
// Problems that are large in one extent alone, beyond 2^16. They are executed whole; all else about them is small.

#include <optional>
#include <vector>

#include "session/shapes/checked_problem.h"
#include "session/shapes/shape_limits.h"

namespace kerlab::session {

/// Extents that 16 bits do not hold, nor a grid's y and z.
inline constexpr std::int64_t kThinExtent = std::int64_t{1} << 16;

/// Of each dimension that can be so long one problem, in which the others are at their least: an index of 16 bits, a
/// loop of blocks over what lies beyond their grid; a second one where a grid reaches its limit only farther; and one
/// in which each of the blocks that share out a reduction has more than 16 bits count; and one of whole accesses, but
/// not of whole tiles; and shorter ones, of some ten thousand, of several rows. Left out where that costs more than the
/// limits in whole tiles, or more warps than an emulated device starts in about a second.
std::vector<ProblemRequest> thin_shapes(const ShapedKernel& kernel, const ProblemRequest& base,
                                        const ShapeLimits& limits);
/// Of these the first of each dimension alone, and that of whole accesses, under every value of each flag.
std::vector<ProblemRequest> thin_along(const ShapedKernel& kernel, const ProblemRequest& base,
                                       const ShapeLimits& limits);
/// Of each dimension beyond 2^16 of which thin_shapes has none, since its whole tiles cost too much: the others at
/// their least, where a single block goes along it, or where some blocks stand for all.
std::vector<ProblemRequest> costly_shapes(const ShapedKernel& kernel, const ProblemRequest& base,
                                          const ShapeLimits& limits);
/// Whether the problem is one of these.
bool is_thin(const Problem& problem);

}  // namespace kerlab::session
