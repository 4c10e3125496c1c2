#pragma once
// Dtypes of tensors and tensor maps as specs write them.

#include "spec/spec.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {

/// The key `dtype` of a table: a name, or a table of names by the problem's dtype and by the values of one flag:
///   dtype = "int32"     dtype = { int8 = "int32", "out.fp32" = "fp32" }
/// Missing: the problem's. Throws SpecError: an unknown dtype or flag.value, values of two flags.
DTypeRule read_dtype_rule(const SpecTable& table, const std::vector<Flag>& flags);

}  // namespace kerlab::spec
