#pragma once
// What the operators of expressions do to integers: one place for the evaluator that explains and the one that is fast.

#include <cstdint>
#include <string>

#include "spec/expression/expression_node.h"

namespace kerlab::spec {

/// `a op b`, or `op a`; false: no value (overflow, division by zero, ...), `failure` says why. Not for names,
/// constants,
/// ?:, && and ||.
bool apply(Operator op, std::int64_t a, std::int64_t b, std::int64_t& result);
/// "4096 / 0: division by zero"
std::string failure(Operator op, std::int64_t a, std::int64_t b);

}  // namespace kerlab::spec
