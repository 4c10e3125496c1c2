#pragma once
// The problems of a thorough check beside the one that was asked for: a covering array over what breaks kernels.

#include <string>
#include <vector>

#include "session/shapes/checked_problem.h"
#include "session/shapes/shape_limits.h"

namespace kerlab::session {

struct AdversarialShapes {
  std::vector<CheckedProblem> problems;
  std::size_t goals = 0;          ///< that those made for edges reach
  std::vector<std::string> lost;  ///< that no valid problem reaches
  std::vector<std::string> left;  ///< that a valid one would, but not within the number of problems and their cost
};

/// Problems for which the configuration is valid, on as few multiprocessors as a check's plans are made for. The first
/// is looked at thoroughly (if it is what was asked for, the next), and is long enough that rings of stages are
/// wrapped, with a remainder, and has several tiles. Then:
/// - of each dimension its least extent, 1, one below, at and one above its tiles, every residue modulo the widest
///   access, and one long ragged extent; these alignments (odd, 2, 4, ...) in pairs over the dimensions;
/// - scalars with 24 significant bits, 0, -1, 1 and 3, in pairs, also where a dimension is at its least;
/// - a small batch, and gaps behind the rows of variants that take a pitch;
/// - every value of every flag that the variant takes, in pairs with others and with the scalars.
/// Beside these, one for each thing, problems that are large in it alone (session/shapes/thin.h, parts.h). Extents are
/// found dimension by dimension among those valid beside the first problem's.
AdversarialShapes adversarial_shapes(const ShapedKernel& kernel, const Problem& asked, const ShapeLimits& limits);

/// Of a dtype beside the one asked for (`asked` has it), where that is looked at as above: the first of these problems,
/// several whole tiles, long ragged extents, small ones of every value of every flag and other extents of what
/// mostly stays at its default, all at once, and of every residue of the widest access.
std::vector<CheckedProblem> shapes_of_dtype(const ShapedKernel& kernel, const Problem& asked,
                                            const ShapeLimits& limits);

}  // namespace kerlab::session
