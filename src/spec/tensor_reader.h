#pragma once
// [[tensor]] of a family.toml.

#include <vector>

#include "spec/spec.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {

/// Their expressions are not checked yet: against a scope that knows them all. `dtypes`: the family's. Throws
/// SpecError.
std::vector<TensorDecl> read_tensors(const SpecTable& family, const std::vector<Flag>& flags,
                                     const std::vector<DType>& dtypes);

}  // namespace kerlab::spec
