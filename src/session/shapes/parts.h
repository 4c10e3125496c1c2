#pragma once
// Problems with many partial results, which a later launch of fewer blocks gathers, or the blocks among themselves.
// They are executed whole.

#include <optional>

#include "session/shapes/checked_problem.h"
#include "session/shapes/shape_limits.h"

namespace kerlab::session {

/// The cheapest problem, of those in which one dimension is long, on which one launch has more blocks than a later and
/// smaller one has threads in a block, with the plan for all of the device's multiprocessors: whoever gathers only as
/// many partial results as it has threads is wrong there. Of variants whose blocks join in one launch (the last one
/// adds up, each looks back) one with more blocks than a block has threads, and than 8 bits count. Under the flags
/// asked for, and under others, as results are joined by them. None: there is no such, or not within the limits.
std::vector<CheckedProblem> many_parts_shapes(const ShapedKernel& kernel, const ProblemRequest& base,
                                              const ShapeLimits& limits);

/// Of variants whose blocks leave something for each other, and which have blocks of their own for each of what mostly
/// stays at its default (a batch), a small problem with three of it, on as many multiprocessors as leave each several
/// blocks: who gives all of them the same places is wrong there in some order of the blocks.
std::optional<CheckedProblem> shared_workspace_batch(const ShapedKernel& kernel, const ProblemRequest& base);

/// The same with so many partial results that the later launch goes through them in three rounds at least, where a
/// block holds as many of them as a block of the first one has elements: what goes from round to round shows from the
/// third on. Of the configuration, or where that is beyond the limits of the variant's with the smallest parameters.
/// Where the long dimension is parted (non-zeros among rows), also with so few parts that one has whole rounds.
std::vector<CheckedProblem> many_rounds_shapes(const ShapedKernel& kernel, const ProblemRequest& base,
                                               const ShapeLimits& limits);

}  // namespace kerlab::session
