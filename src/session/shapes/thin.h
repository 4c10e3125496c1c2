#pragma once
// Problems that are large in one extent alone, beyond 2^16. They are executed whole; all else about them is small.

#include <optional>
#include <vector>

#include "session/shapes/checked_problem.h"

namespace kerlab::session {

/// Extents that 16 bits do not hold, nor a grid's y and z.
inline constexpr std::int64_t kThinExtent = std::int64_t{1} << 16;

/// Of each dimension that can be so long one problem, in which the others are at their least: an index of 16 bits, a
/// loop of blocks over what lies beyond their grid; a second one where a grid reaches its limit only farther; and one
/// in which each of the blocks that share out a reduction has more than 16 bits count. Left out where that costs more
/// than `flops` in whole tiles, or more warps than an emulated device starts in about a second.
std::vector<ProblemRequest> thin_shapes(const ShapedKernel& kernel, const ProblemRequest& base, double bytes,
                                        double flops);
/// Of each dimension beyond 2^16 of which thin_shapes has none, since one block goes along it and computes whole tiles:
/// the others at their least, where that block is the only one.
std::vector<ProblemRequest> costly_shapes(const ShapedKernel& kernel, const ProblemRequest& base, double bytes);
/// Whether the problem is one of these.
bool is_thin(const Problem& problem);
/// What is missing of what is so large shows in nearly any numbers: quick; else usual.
Thoroughness thoroughness_of(const Problem& problem);

}  // namespace kerlab::session
