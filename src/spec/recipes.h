#pragma once
// The recipes of a problem, from what its family declares.

#include <vector>

#include "spec/spec.h"

namespace kerlab::spec {

/// Those that this problem has, each plant with the tensor that it is for. `tensors`: those of the problem.
std::vector<Recipe> recipes_of(const Family& family, const Problem& problem, const std::vector<Tensor>& tensors);

}  // namespace kerlab::spec
