#include "spec/expression/cpp_expression.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "spec/expression/arithmetic.h"

namespace kerlab::spec {

namespace {

using Node = Expression::Node;

/// The member of Checked that does what an operator does; empty: C++ has an operator.
std::string_view member(Operator op) {
  switch (op) {
    case Operator::add:
      return "add";
    case Operator::subtract:
      return "subtract";
    case Operator::multiply:
      return "multiply";
    case Operator::divide:
      return "divide";
    case Operator::modulo:
      return "modulo";
    case Operator::negate:
      return "negate";
    case Operator::abs:
      return "absolute";
    case Operator::ceil_div:
      return "ceil_div";
    case Operator::round_up:
      return "round_up";
    case Operator::ilog2:
      return "ilog2";
    case Operator::pow:
      return "power";
    case Operator::min:
      return "least";
    case Operator::max:
      return "most";
    default:
      return "";
  }
}

std::string_view comparison(Operator op) {
  switch (op) {
    case Operator::equal:
      return "==";
    case Operator::not_equal:
      return "!=";
    case Operator::less:
      return "<";
    case Operator::less_equal:
      return "<=";
    case Operator::greater:
      return ">";
    default:
      return ">=";
  }
}

struct Piece {
  std::optional<std::int64_t> constant;
  std::string text;  ///< a primary expression: needs no parentheses around it
};

class Translation {
 public:
  Translation(const Expression& expression, std::string checked, const std::function<CppName(const std::string&)>& name)
      : expression_(expression), checked_(std::move(checked)), name_(name) {}

  [[nodiscard]] Piece operator()(const Node& node) const {
    switch (node.op) {
      case Operator::constant:
        return known(node.value);
      case Operator::name:
        return of_name(expression_.names()[static_cast<std::size_t>(node.value)]);
      case Operator::conditional:
        return conditional(node);
      case Operator::logical_or:
      case Operator::logical_and:
        return logical(node);
      default:
        return operation(node);
    }
  }

 private:
  static Piece known(std::int64_t value) { return {value, cpp_literal(value)}; }
  [[nodiscard]] Piece child(const Node& node, std::size_t index) const { return (*this)(*node.children[index]); }

  [[nodiscard]] Piece of_name(const std::string& name) const {
    const CppName found = name_(name);
    return found.constant ? known(*found.constant) : Piece{std::nullopt, found.variable};
  }

  [[nodiscard]] Piece conditional(const Node& node) const {
    const Piece condition = child(node, 0);
    if (condition.constant) return child(node, *condition.constant != 0 ? 1 : 2);
    return {std::nullopt, fmt::format("({} != 0 ? {} : {})", condition.text, child(node, 1).text, child(node, 2).text)};
  }

  [[nodiscard]] Piece logical(const Node& node) const {
    const bool is_or = node.op == Operator::logical_or;
    const Piece left = child(node, 0);
    if (left.constant && (*left.constant != 0) == is_or) return known(is_or ? 1 : 0);
    const Piece right = child(node, 1);
    if (left.constant && right.constant) return known(*right.constant != 0 ? 1 : 0);
    if (left.constant) return truth(fmt::format("{} != 0", right.text));
    return truth(fmt::format("{} != 0 {} {} != 0", left.text, is_or ? "||" : "&&", right.text));
  }

  static Piece truth(const std::string& condition) {
    return {std::nullopt, fmt::format("({} ? 1LL : 0LL)", condition)};
  }

  [[nodiscard]] Piece operation(const Node& node) const {
    Piece result = child(node, 0);
    if (node.children.size() == 1) return apply_to(node.op, result, nullptr);
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      const Piece next = child(node, i);
      result = apply_to(node.op, result, &next);
    }
    return result;
  }

  [[nodiscard]] Piece apply_to(Operator op, const Piece& a, const Piece* b) const {
    if (op == Operator::min && b == nullptr) return a;
    if (op == Operator::max && b == nullptr) return a;
    if (a.constant && (b == nullptr || b->constant)) {
      std::int64_t value = 0;
      if (apply(op, *a.constant, b == nullptr ? 0 : *b->constant, value)) return known(value);
    }
    if (op == Operator::logical_not) return truth(fmt::format("{} == 0", a.text));
    const std::string_view call = member(op);
    if (call.empty()) return truth(fmt::format("{} {} {}", a.text, comparison(op), b->text));
    if (b == nullptr) return {std::nullopt, fmt::format("{}.{}({})", checked_, call, a.text)};
    return {std::nullopt, fmt::format("{}.{}({}, {})", checked_, call, a.text, b->text)};
  }

  const Expression& expression_;
  std::string checked_;
  const std::function<CppName(const std::string&)>& name_;
};

}  // namespace

std::string cpp_literal(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807LL - 1)";
  return value < 0 ? fmt::format("({}LL)", value) : fmt::format("{}LL", value);
}

std::string cpp_text(const Expression& expression, const std::string& checked,
                     const std::function<CppName(const std::string&)>& resolve) {
  return Translation(expression, checked, resolve)(*expression.root()).text;
}

std::optional<std::int64_t> constant_value(const Expression& expression,
                                           const std::function<CppName(const std::string&)>& resolve) {
  return Translation(expression, "", resolve)(*expression.root()).constant;
}

}  // namespace kerlab::spec
