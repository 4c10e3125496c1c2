#pragma once
// Problems with so many tiles that a kernel walks them in bands.

#include <vector>

#include "session/shapes/checked_problem.h"

namespace kerlab::session {

/// Many tiles along one of the first two dimensions and some along the other, each way round, all else as short as it
/// is valid: tiles are walked some rows of them together (for L2), and the last band is lower than the others. Whoever
/// counts it as high skips tiles where there are several columns of them. Of families with a third dimension: others
/// have such problems anyway. None: not within so many FLOPs.
std::vector<CheckedProblem> banded_shapes(const ShapedKernel& kernel, const ProblemRequest& base, double flops);

}  // namespace kerlab::session
