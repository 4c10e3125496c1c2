#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "base/format.h"
#include "plan/device_facts.h"
#include "spec/expression/expression_node.h"

namespace kerlab::spec {
namespace {

using Node = Expression::Node;
using NodePointer = std::unique_ptr<Node>;

// Recursion of the parser, the evaluator and the destructor is bounded by these two.
constexpr int kMaximumDepth = 100;
constexpr int kMaximumHeight = 256;
constexpr std::size_t kMaximumLength = 4096;

struct Function {
  std::string_view name;
  Operator op;
  std::size_t minimum, maximum;  ///< arguments
};
constexpr Function kFunctions[] = {
    {"ceil_div", Operator::ceil_div, 2, 2}, {"round_up", Operator::round_up, 2, 2}, {"min", Operator::min, 1, 64},
    {"max", Operator::max, 1, 64},          {"ilog2", Operator::ilog2, 1, 1},       {"abs", Operator::abs, 1, 1},
    {"pow", Operator::pow, 2, 2},
};

struct Infix {
  std::string_view token;
  Operator op;
  int level;  ///< higher binds tighter
};
constexpr int kComparison = 3;
constexpr Infix kInfix[] = {
    {"||", Operator::logical_or, 1},
    {"&&", Operator::logical_and, 2},
    {"==", Operator::equal, kComparison},
    {"!=", Operator::not_equal, kComparison},
    {"<=", Operator::less_equal, kComparison},
    {">=", Operator::greater_equal, kComparison},
    {"<", Operator::less, kComparison},
    {">", Operator::greater, kComparison},
    {"+", Operator::add, 4},
    {"-", Operator::subtract, 4},
    {"*", Operator::multiply, 5},
    {"/", Operator::divide, 5},
    {"%", Operator::modulo, 5},
};

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Parser {
 public:
  Parser(std::string_view text, const SourceLocation& where, std::vector<std::string>& names)
      : text_(text), where_(where), names_(names) {}

  NodePointer parse() {
    if (text_.size() > kMaximumLength) fail(0, fmt::format("expression longer than {} characters", kMaximumLength));
    NodePointer root = conditional();
    if (at_ < text_.size()) fail(at_, fmt::format("unexpected '{}'", printable(text_[at_])));
    return root;
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    throw SpecError(location_in(text_, where_, static_cast<int>(offset)), what);
  }

  static std::string printable(char c) {
    return c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c, std::string_view why) {
    if (take(c)) return;
    fail(at_, at_ < text_.size() ? fmt::format("expected '{}' {} before '{}'", c, why, printable(text_[at_]))
                                 : fmt::format("expected '{}' {}, but the expression ends", c, why));
  }

  NodePointer make(Operator op, std::size_t offset, std::int64_t value = 0) const {
    auto node = std::make_unique<Node>();
    node->op = op;
    node->offset = static_cast<int>(offset);
    node->value = value;
    return node;
  }

  void adopt(Node& parent, NodePointer child) const {
    parent.height = std::max(parent.height, child->height + 1);
    if (parent.height > kMaximumHeight) fail(static_cast<std::size_t>(parent.offset), "expression nested too deeply");
    parent.children.push_back(std::move(child));
  }

  NodePointer conditional() {
    if (++depth_ > kMaximumDepth) fail(at_, "expression nested too deeply");
    NodePointer left = binary(1);
    skip_space();
    const std::size_t offset = at_;
    if (take('?')) {
      NodePointer node = make(Operator::conditional, offset);
      adopt(*node, std::move(left));
      adopt(*node, conditional());
      expect(':', "of '? :'");
      adopt(*node, conditional());
      left = std::move(node);
    }
    --depth_;
    return left;
  }

  const Infix* peek_infix() {
    skip_space();
    const std::string_view rest = text_.substr(at_);
    for (const Infix& row : kInfix)
      if (rest.starts_with(row.token)) return &row;
    if (rest.starts_with("=")) fail(at_, "'=' does not compare; write '=='");
    if (rest.starts_with("&") || rest.starts_with("|")) fail(at_, fmt::format("write '{0}{0}'", rest[0]));
    return nullptr;
  }

  NodePointer binary(int level) {
    NodePointer left = unary();
    bool compared = false;
    for (const Infix* row = peek_infix(); row != nullptr && row->level >= level; row = peek_infix()) {
      if (row->level == kComparison) {
        if (compared) fail(at_, "comparisons do not chain; write a < b && b < c");
        compared = true;
      }
      NodePointer node = make(row->op, at_);
      at_ += row->token.size();
      adopt(*node, std::move(left));
      adopt(*node, binary(row->level + 1));
      left = std::move(node);
      if (row->level < kComparison) compared = false;
    }
    return left;
  }

  NodePointer unary() {
    skip_space();
    const std::size_t offset = at_;
    if (at_ < text_.size() && (text_[at_] == '-' || (text_[at_] == '!' && !text_.substr(at_).starts_with("!=")))) {
      if (++depth_ > kMaximumDepth) fail(at_, "expression nested too deeply");
      NodePointer node = make(text_[at_++] == '-' ? Operator::negate : Operator::logical_not, offset);
      adopt(*node, unary());
      --depth_;
      return node;
    }
    return primary();
  }

  NodePointer primary() {
    skip_space();
    if (at_ >= text_.size())
      fail(at_, text_.empty() ? "empty expression" : "expected a value, but the expression ends");
    const char c = text_[at_];
    if (is_digit(c)) return number();
    if (starts_name(c)) return name_or_call();
    if (take('(')) {
      NodePointer inner = conditional();
      expect(')', "to close '('");
      return inner;
    }
    fail(at_, fmt::format("expected a value, found '{}'", printable(c)));
  }

  NodePointer number() {
    const std::size_t offset = at_;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail(offset, "number does not fit 64 bits");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && (starts_name(text_[at_]) || text_[at_] == '.')) fail(offset, "not an integer");
    return make(Operator::constant, offset, value);
  }

  NodePointer name_or_call() {
    const std::size_t offset = at_;
    while (at_ < text_.size() && (starts_name(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string_view name = text_.substr(offset, at_ - offset);
    if (name.back() == '.' || name.find("..") != std::string_view::npos)
      fail(offset, fmt::format("'{}' is not a name", name));
    const std::size_t after_name = at_;
    if (take('(')) return call(name, offset);
    at_ = after_name;
    return name_node(name, offset);
  }

  NodePointer call(std::string_view name, std::size_t offset) {
    const auto* row = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                   [&](const Function& function) { return function.name == name; });
    if (name == kActiveClusters) return active_clusters(offset);
    if (row == std::end(kFunctions)) {
      const std::string near = nearest(name, function_names());
      fail(offset,
           fmt::format("unknown function '{}'{}", name, near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
    }
    NodePointer node = make(row->op, offset);
    if (!take(')')) {
      do adopt(*node, conditional());
      while (take(','));
      expect(')', fmt::format("after the arguments of {}", name));
    }
    const std::size_t count = node->children.size();
    if (count < row->minimum || count > row->maximum)
      fail(offset, fmt::format("{} takes {} argument{}, not {}", name,
                               row->maximum == row->minimum ? fmt::format("{}", row->minimum) : "1 or more",
                               row->maximum == 1 ? "" : "s", count));
    return node;
  }

  NodePointer name_node(std::string_view name, std::size_t offset) {
    const auto known = std::find(names_.begin(), names_.end(), name);
    const auto index = known - names_.begin();
    if (known == names_.end()) names_.emplace_back(name);
    return make(Operator::name, offset, index);
  }

  /// Of an argument n it is a choice among facts of the device: n < 1 ? 0 : n <= 1 ? clusters.1 : n <= 2 ? ...
  NodePointer active_clusters(std::size_t offset) {
    if (within_clusters_) fail(offset, fmt::format("{} within itself", kActiveClusters));
    within_clusters_ = true;  // the argument is read once for each size
    const std::size_t argument = at_;
    NodePointer chosen = make(Operator::constant, offset, 0);
    for (std::size_t i = kClusterSizes.size() + 1; i-- > 0;) {
      NodePointer node = make(Operator::conditional, offset);
      NodePointer compared = make(i == 0 ? Operator::less : Operator::less_equal, offset);
      at_ = argument;
      adopt(*compared, conditional());
      adopt(*compared, make(Operator::constant, offset, i == 0 ? 1 : kClusterSizes[i - 1]));
      adopt(*node, std::move(compared));
      adopt(*node, i == 0 ? make(Operator::constant, offset, 0) : name_node(kActiveClusterFacts[i - 1], offset));
      adopt(*node, std::move(chosen));
      chosen = std::move(node);
    }
    within_clusters_ = false;
    expect(')', fmt::format("after the blocks of a cluster, the argument of {}", kActiveClusters));
    return chosen;
  }

  std::string_view text_;
  const SourceLocation& where_;
  std::vector<std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool within_clusters_ = false;
};

/// Name nodes index `names` in order of appearance; makes them index `sorted`.
void renumber(Node& node, const std::vector<std::string>& names, const std::vector<std::string>& sorted) {
  if (node.op == Operator::name) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), names[static_cast<std::size_t>(node.value)]);
    node.value = place - sorted.begin();
  }
  for (auto& child : node.children) renumber(*child, names, sorted);
}

}  // namespace

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Function& row : kFunctions) list.emplace_back(row.name);
    list.emplace_back(kActiveClusters);
    return list;
  }();
  return names;
}

std::unique_ptr<Expression::Node> parse_tree(std::string_view text, const SourceLocation& where,
                                             std::vector<std::string>& names) {
  names.clear();
  NodePointer root = Parser(text, where, names).parse();
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  renumber(*root, names, sorted);
  names = std::move(sorted);
  return root;
}

}  // namespace kerlab::spec
