#pragma once
// Expressions for millions of evaluations: names resolved to slots of one array, nothing thrown.

#include <functional>

#include "spec/expression/expression_node.h"

namespace kerlab::spec {

struct Slots {
  std::vector<std::int64_t> values;
  std::vector<std::uint8_t> failed;  ///< a value that could not be computed: whoever reads it fails too
};

class SlotExpression {
 public:
  /// What a name is: a value that never changes, or a slot.
  struct Name {
    bool constant = false;
    std::int64_t value = 0;
  };
  SlotExpression(const Expression& expression, const std::function<Name(const std::string&)>& resolve);
  /// False: it has no value (overflow, division by zero, a failed slot); Expression::evaluate says why.
  bool evaluate(const Slots& slots, std::int64_t& result) const { return evaluate(root_, slots, result); }
  /// Operands and operators: what an evaluation takes, at most.
  [[nodiscard]] std::size_t steps() const { return nodes_.size(); }

 private:
  struct Node {
    Operator op = Operator::constant;
    std::int32_t a = -1, b = -1, c = -1;  ///< children
    std::int64_t value = 0;               ///< of a constant; slot of a name
  };
  std::int32_t translate(const Expression& expression, const Expression::Node& node,
                         const std::function<Name(const std::string&)>& resolve);
  std::int32_t add(Node node);
  bool evaluate(std::int32_t index, const Slots& slots, std::int64_t& result) const;

  std::vector<Node> nodes_;
  std::int32_t root_ = 0;
};

}  // namespace kerlab::spec
