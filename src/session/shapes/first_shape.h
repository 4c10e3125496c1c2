#pragma once
// The small problem that a check's others are varied from.

#include "session/shapes/levels.h"

namespace kerlab::session {

/// A ragged one that is long where rings are, each dimension of the least multiple that is valid; else the one asked
/// for.
ProblemRequest first_shape(const ShapedKernel& kernel, const Problem& asked);

}  // namespace kerlab::session
