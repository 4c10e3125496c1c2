#pragma once
// Shapes that a check wishes for, bent to those that a family has: constraints on dimensions (N % 4 == 0) leave most
// wishes out.

#include <optional>

#include "spec/spec.h"

namespace kerlab::session {

/// The problem with the wanted extents, or where the family has none, one near it: from `known`, which it has, each
/// dimension in turn goes to the nearest extent below the wanted one that is valid beside the others, else to one
/// above. Dtype, flags, scalars and row padding are those of `wanted`. None: not even with the extents of `known`.
std::optional<Problem> nearest_problem(const Family& family, const ProblemRequest& wanted, const Problem& known);

/// Of all tensors together, as they lie in memory.
double bytes_of_tensors(const Family& family, const Problem& problem);

}  // namespace kerlab::session
