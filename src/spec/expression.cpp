#include "spec/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/format.h"
#include "spec/expression_node.h"

namespace kerlab {
namespace {

using Node = Expression::Node;

/// One evaluation. Everything it throws has the column of the node that failed.
class Evaluation {
 public:
  Evaluation(const Expression& expression, std::span<const std::int64_t* const> values, const Environment* environment)
      : expression_(expression), values_(values), environment_(environment) {}

  std::int64_t operator()(const Node& node) const {
    switch (node.op) {
      case Operator::constant:
        return node.value;
      case Operator::name:
        return look_up(node);
      case Operator::conditional:
        return child(node, 0) != 0 ? child(node, 1) : child(node, 2);
      case Operator::logical_or:
        return child(node, 0) != 0 || child(node, 1) != 0 ? 1 : 0;
      case Operator::logical_and:
        return child(node, 0) != 0 && child(node, 1) != 0 ? 1 : 0;
      case Operator::logical_not:
        return child(node, 0) == 0 ? 1 : 0;
      case Operator::negate:
        return subtract(node, 0, child(node, 0));
      case Operator::abs:
        return absolute(node, child(node, 0));
      case Operator::ilog2:
        return logarithm(node, child(node, 0));
      case Operator::min:
      case Operator::max:
        return extreme(node);
      default:
        return binary(node, child(node, 0), child(node, 1));
    }
  }

 private:
  [[noreturn]] void fail(const Node& node, const std::string& what) const {
    throw SpecError(location_in(expression_.text(), expression_.where(), node.offset), what);
  }

  std::int64_t child(const Node& node, std::size_t index) const { return (*this)(*node.children[index]); }

  std::int64_t look_up(const Node& node) const {
    const auto index = static_cast<std::size_t>(node.value);
    if (values_[index] != nullptr) return *values_[index];
    const std::string& name = expression_.names()[index];
    std::vector<std::string> known;
    if (environment_ != nullptr)
      for (const auto& [other, value] : *environment_) known.push_back(other);
    const std::string near = nearest(name, known);
    fail(node, fmt::format("unknown name '{}'{}", name, near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
  }

  std::int64_t binary(const Node& node, std::int64_t a, std::int64_t b) const {
    switch (node.op) {
      case Operator::equal:
        return a == b;
      case Operator::not_equal:
        return a != b;
      case Operator::less:
        return a < b;
      case Operator::less_equal:
        return a <= b;
      case Operator::greater:
        return a > b;
      case Operator::greater_equal:
        return a >= b;
      case Operator::add:
        return add(node, a, b);
      case Operator::subtract:
        return subtract(node, a, b);
      case Operator::multiply:
        return multiply(node, a, b);
      case Operator::divide:
        return divide(node, a, b);
      case Operator::modulo:
        return modulo(node, a, b);
      case Operator::ceil_div:
        return ceil_div(node, a, b);
      case Operator::round_up:
        return multiply(node, ceil_div(node, a, b), b);
      default:
        return power(node, a, b);
    }
  }

  std::int64_t add(const Node& node, std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) fail(node, fmt::format("{} + {} overflows 64 bits", a, b));
    return result;
  }
  std::int64_t subtract(const Node& node, std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result)) fail(node, fmt::format("{} - {} overflows 64 bits", a, b));
    return result;
  }
  std::int64_t multiply(const Node& node, std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) fail(node, fmt::format("{} * {} overflows 64 bits", a, b));
    return result;
  }
  std::int64_t divide(const Node& node, std::int64_t a, std::int64_t b) const {
    if (b == 0) fail(node, fmt::format("{} / 0: division by zero", a));
    if (b == -1) return subtract(node, 0, a);  // the one quotient that overflows
    return a / b;
  }
  std::int64_t modulo(const Node& node, std::int64_t a, std::int64_t b) const {
    if (b == 0) fail(node, fmt::format("{} % 0: division by zero", a));
    return b == -1 ? 0 : a % b;
  }
  std::int64_t ceil_div(const Node& node, std::int64_t a, std::int64_t b) const {
    if (b == 0) fail(node, "division by zero");
    if (b < 0) fail(node, fmt::format("rounds up to a multiple of {}, which is negative", b));
    return a / b + (a % b > 0 ? 1 : 0);
  }
  std::int64_t absolute(const Node& node, std::int64_t a) const { return a < 0 ? subtract(node, 0, a) : a; }
  std::int64_t logarithm(const Node& node, std::int64_t a) const {
    if (a <= 0) fail(node, fmt::format("ilog2({}): not positive", a));
    return 63 - __builtin_clzll(static_cast<unsigned long long>(a));
  }
  std::int64_t power(const Node& node, std::int64_t base, std::int64_t exponent) const {
    if (exponent < 0) fail(node, fmt::format("pow({}, {}): negative exponent", base, exponent));
    if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    std::int64_t result = 1;
    for (std::int64_t i = 0; i < exponent; ++i) result = multiply(node, result, base);  // overflows by the 64th
    return result;
  }
  std::int64_t extreme(const Node& node) const {
    std::int64_t result = child(node, 0);
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      const std::int64_t value = child(node, i);
      result = node.op == Operator::min ? std::min(result, value) : std::max(result, value);
    }
    return result;
  }

  const Expression& expression_;
  std::span<const std::int64_t* const> values_;
  const Environment* environment_;
};

int first_use(const Node& node, std::int64_t index) {
  if (node.op == Operator::name && node.value == index) return node.offset;
  int first = std::numeric_limits<int>::max();
  for (const auto& child : node.children) first = std::min(first, first_use(*child, index));
  return first;
}

}  // namespace

std::string SourceLocation::text() const {
  return fmt::format("{}:{}:{}", file, line, column);
}

SourceLocation location_in(std::string_view text, const SourceLocation& start, int offset) {
  SourceLocation where = start;
  for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(offset), text.size()); ++i) {
    ++where.column;
    if (text[i] != '\n') continue;
    ++where.line;
    where.column = 1;
  }
  return where;
}

Expression Expression::parse(std::string_view text, const SourceLocation& where) {
  Expression expression;
  expression.text_ = text;
  expression.where_ = where;
  expression.root_ = parse_tree(text, where, expression.names_);
  return expression;
}

Expression Expression::constant(std::int64_t value, const SourceLocation& where) {
  auto node = std::make_shared<Node>();
  node->value = value;
  Expression expression;
  expression.root_ = node;
  expression.text_ = fmt::format("{}", value);
  expression.where_ = where;
  return expression;
}

std::int64_t Expression::evaluate(const Environment& environment) const {
  std::vector<const std::int64_t*> values;
  values.reserve(names_.size());
  for (const std::string& name : names_) {
    const auto found = environment.find(name);
    values.push_back(found == environment.end() ? nullptr : &found->second);
  }
  if (root_ == nullptr) throw SpecError(where_, "empty expression");
  return Evaluation(*this, values, &environment)(*root_);
}

std::int64_t Expression::evaluate(std::span<const std::int64_t* const> values) const {
  return Evaluation(*this, values, nullptr)(*root_);
}

bool Expression::uses(std::string_view name) const {
  return std::binary_search(names_.begin(), names_.end(), name);
}

SourceLocation Expression::where_of(std::string_view name) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), name);
  if (found == names_.end() || *found != name) return where_;
  return location_in(text_, where_, first_use(*root_, found - names_.begin()));
}

}  // namespace kerlab
