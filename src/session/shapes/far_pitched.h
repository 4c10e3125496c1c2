#pragma once
// Problems whose tensors go beyond 2^31 elements by gaps between their rows alone: few rows, far from each other. All
// blocks are executed, those of plans of several launches and with workspaces as well.

#include <optional>

#include "session/shapes/checked_problem.h"

namespace kerlab::session {

/// Of a variant that takes a pitch, the small ragged problem with gaps so wide that the pitched tensors go beyond 2^32
/// elements, or 2^31 where that is more than the device holds. None: nothing is pitched, or has several rows, or an
/// argument of the plan has no room for such offsets.
std::optional<CheckedProblem> far_by_pitch(const ShapedKernel& kernel, const Problem& asked);

}  // namespace kerlab::session
