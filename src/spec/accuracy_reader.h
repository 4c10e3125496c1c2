#pragma once
// `accuracy` and `specials` of a family.toml or a <variant>.toml.

#include "plan/accuracy.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {

/// What the table does not say is as in `otherwise`.
Accuracy read_accuracy(const SpecTable& table, Accuracy otherwise);

}  // namespace kerlab::spec
