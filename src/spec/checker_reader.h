#pragma once
// [[checker]] of a family.toml.

#include <vector>

#include "spec/scope.h"
#include "spec/spec.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {

/// What judges outputs of which several are right, as references with `checker` set. Throws SpecError.
std::vector<ReferenceDecl> read_checkers(const SpecTable& family, const Scope& scope,
                                         const std::vector<TensorDecl>& tensors);

}  // namespace kerlab::spec
