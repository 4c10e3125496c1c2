#pragma once
// The tree behind Expression: private to its parser and its evaluator.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expression/expression.h"

namespace kerlab::spec {

enum class Operator : std::uint8_t {
  constant,
  name,
  negate,
  logical_not,
  logical_or,
  logical_and,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  conditional,
  ceil_div,
  round_up,
  min,
  max,
  ilog2,
  abs,
  pow,
};

struct Expression::Node {
  Operator op = Operator::constant;
  int offset = 0;          ///< of its first character in the text
  int height = 1;          ///< of the tree below, so that recursion stays bounded
  std::int64_t value = 0;  ///< constant; for a name its index in names()
  std::vector<std::unique_ptr<Node>> children;
};

/// Location of the character at `offset`; the text may have several lines.
SourceLocation location_in(std::string_view text, const SourceLocation& start, int offset);

/// Parses `text`; fills `names` (sorted; name nodes index it). Throws SpecError.
std::unique_ptr<Expression::Node> parse_tree(std::string_view text, const SourceLocation& where,
                                             std::vector<std::string>& names);

}  // namespace kerlab::spec
