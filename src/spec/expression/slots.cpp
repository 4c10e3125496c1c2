#include "spec/expression/slots.h"

#include "spec/expression/arithmetic.h"

namespace kerlab::spec {

SlotExpression::SlotExpression(const Expression& expression, const std::function<Name(const std::string&)>& resolve) {
  root_ = translate(expression, *expression.root(), resolve);
}

/// min(a, b, c) becomes min(min(a, b), c).
std::int32_t SlotExpression::translate(const Expression& expression, const Expression::Node& node,
                                       const std::function<Name(const std::string&)>& resolve) {
  Node copy;
  copy.op = node.op;
  copy.value = node.value;
  if (node.op == Operator::name) {
    const Name name = resolve(expression.names()[static_cast<std::size_t>(node.value)]);
    if (name.constant) copy.op = Operator::constant;
    copy.value = name.value;
  }
  std::vector<std::int32_t> children;
  for (const auto& child : node.children) children.push_back(translate(expression, *child, resolve));
  const bool is_extreme = node.op == Operator::min || node.op == Operator::max;
  if (is_extreme && children.size() == 1) return children[0];
  if (!children.empty()) copy.a = children[0];
  if (children.size() > 1) copy.b = children[1];
  if (node.op == Operator::conditional) copy.c = children[2];
  std::int32_t index = add(copy);
  for (std::size_t i = 2; is_extreme && i < children.size(); ++i) {
    copy.a = index;
    copy.b = children[i];
    index = add(copy);
  }
  return index;
}

/// What depends on constants only is one, unless it fails: that shows when it is reached.
std::int32_t SlotExpression::add(Node node) {
  const auto is_constant = [&](std::int32_t child) {
    return child < 0 || nodes_[static_cast<std::size_t>(child)].op == Operator::constant;
  };
  nodes_.push_back(node);
  const auto index = static_cast<std::int32_t>(nodes_.size() - 1);
  if (node.a < 0 || !is_constant(node.a) || !is_constant(node.b) || !is_constant(node.c)) return index;
  std::int64_t value = 0;
  if (evaluate(index, {}, value)) nodes_.back() = {Operator::constant, -1, -1, -1, value};
  return index;
}

bool SlotExpression::evaluate(std::int32_t index, const Slots& slots, std::int64_t& result) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  switch (node.op) {
    case Operator::constant:
      result = node.value;
      return true;
    case Operator::name: {
      const auto slot = static_cast<std::size_t>(node.value);
      result = slots.values[slot];
      return slots.failed[slot] == 0;
    }
    case Operator::conditional:
      if (!evaluate(node.a, slots, result)) return false;
      return evaluate(result != 0 ? node.b : node.c, slots, result);
    case Operator::logical_or:
    case Operator::logical_and: {
      if (!evaluate(node.a, slots, result)) return false;
      const bool decided = (result != 0) == (node.op == Operator::logical_or);
      if (!decided && !evaluate(node.b, slots, result)) return false;
      result = result != 0 ? 1 : 0;
      return true;
    }
    default:
      break;
  }
  std::int64_t a = 0;
  std::int64_t b = 0;
  if (!evaluate(node.a, slots, a)) return false;
  if (node.b >= 0 && !evaluate(node.b, slots, b)) return false;
  // The commonest without a call.
  if (node.op == Operator::modulo && b > 0) return result = a % b, true;
  if (node.op == Operator::equal) return result = a == b, true;
  return apply(node.op, a, b, result);
}

}  // namespace kerlab::spec
