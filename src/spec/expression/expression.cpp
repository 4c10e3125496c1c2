#include "spec/expression/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/format.h"
#include "spec/expression/arithmetic.h"

namespace kerlab::spec {
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
      case Operator::min:
      case Operator::max:
        return extreme(node);
      default:
        return operation(node, child(node, 0), node.children.size() > 1 ? child(node, 1) : 0);
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

  std::int64_t operation(const Node& node, std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    if (!apply(node.op, a, b, result)) fail(node, failure(node.op, a, b));
    return result;
  }
  std::int64_t extreme(const Node& node) const {
    std::int64_t result = child(node, 0);
    for (std::size_t i = 1; i < node.children.size(); ++i) result = operation(node, result, child(node, i));
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

bool Expression::uses(std::string_view name) const {
  return std::binary_search(names_.begin(), names_.end(), name);
}

SourceLocation Expression::where_of(std::string_view name) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), name);
  if (found == names_.end() || *found != name) return where_;
  return location_in(text_, where_, first_use(*root_, found - names_.begin()));
}

}  // namespace kerlab::spec
