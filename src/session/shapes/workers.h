#pragma once
// Problems at which a device's multiprocessors have too little to do, for all of them. What a check executes whole is
// planned for a few multiprocessors, of which each has its share.

#include <vector>

#include "session/shapes/checked_problem.h"
#include "session/shapes/shape_limits.h"

namespace kerlab::session {

/// Of variants that launch no more blocks than the device has places for: along the first dimension of which some more
/// than these have work, a problem with work for about half of them (who goes through all is wrong), and one with a
/// piece more than there are blocks (shares rounded up leave some of them without any). Of those that launch as many
/// blocks however little there is to do, a small problem. All other dimensions are short.
std::vector<CheckedProblem> worker_shapes(const ShapedKernel& kernel, const ProblemRequest& base,
                                          const ShapeLimits& limits);

}  // namespace kerlab::session
