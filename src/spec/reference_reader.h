#pragma once
// [[reference]]: what an output should be, by a kernel of reference.cu or as it was recorded, and how near is right.

#include "spec/scope.h"
#include "spec/spec.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {

/// The references of a family, one for each output that has one. Throws SpecError.
std::vector<ReferenceDecl> read_references(const SpecTable& family, const Scope& scope);

}  // namespace kerlab::spec
