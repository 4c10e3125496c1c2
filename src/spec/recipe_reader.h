#pragma once
// [[recipe]] and [[recipe.plant]] of a family.toml.

#include <vector>

#include "spec/scope.h"
#include "spec/spec.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {

/// `scope` knows what the family declares, `tensors` among it. Throws SpecError.
std::vector<RecipeDecl> read_recipes(const SpecTable& family, const Scope& scope,
                                     const std::vector<TensorDecl>& tensors);

}  // namespace kerlab::spec
