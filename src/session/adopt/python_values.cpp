// What an expression in Python's syntax is: as numbers, and as an expression of a spec.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "session/adopt/python_expression.h"

namespace kerlab::session {
namespace {

using Kind = PythonNode::Kind;
using Values = std::vector<std::int64_t>;
constexpr std::size_t kMostValues = 65536;

[[noreturn]] void fail_of_size() {
  throw Error("a number of more than 64 bits");
}

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) throw Error("a power with a negative exponent is no whole number");
  std::int64_t result = 1;
  for (; exponent > 0 && result != 0; --exponent) {
    if (base == 1) return 1;
    if (__builtin_mul_overflow(result, base, &result)) fail_of_size();
  }
  return result;
}

/// As Python: down, whatever the signs.
std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) throw Error("a division by zero");
  if (a == INT64_MIN && b == -1) fail_of_size();
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::int64_t apply(const std::string& word, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = (word == "+" && __builtin_add_overflow(a, b, &result)) ||
                         (word == "-" && __builtin_sub_overflow(a, b, &result)) ||
                         (word == "*" && __builtin_mul_overflow(a, b, &result));
  if (overflows) fail_of_size();
  if (word == "+" || word == "-" || word == "*") return result;
  if (word == "/") return quotient(a, b);
  if (word == "%") return b == -1 ? 0 : a - b * quotient(a, b);
  if (word == "**") return power(a, b);
  if (word == "==") return a == b ? 1 : 0;
  if (word == "!=") return a != b ? 1 : 0;
  if (word == "<=") return a <= b ? 1 : 0;
  if (word == ">=") return a >= b ? 1 : 0;
  return word == "<" ? (a < b ? 1 : 0) : (a > b ? 1 : 0);
}

bool is_list(const PythonNode& node, const PythonNames& names) {
  if (node.kind == Kind::list || node.kind == Kind::comprehension) return true;
  if (node.kind == Kind::call) return node.word == "range" || node.word == "list";
  if (node.kind == Kind::binary && node.word == "+") return is_list(node.parts[0], names);
  if (node.kind != Kind::name) return false;
  const auto found = names.find(node.word);
  return found != names.end() && found->second.size() != 1;
}

Values range_of(const Values& given) {
  if (given.empty() || given.size() > 3) throw Error("range has one to three arguments");
  const std::int64_t from = given.size() > 1 ? given[0] : 0, to = given.size() > 1 ? given[1] : given[0];
  const std::int64_t step = given.size() == 3 ? given[2] : 1;
  if (step == 0) throw Error("a range with steps of 0");
  Values values;
  for (std::int64_t at = from; step > 0 ? at < to : at > to; at = apply("+", at, step)) {
    if (values.size() == kMostValues) throw Error("a range of more than 65,536 values");
    values.push_back(at);
  }
  return values;
}

std::int64_t only(const Values& values, const std::string& of) {
  if (values.size() != 1) throw Error(fmt::format("{} is no single number", of));
  return values.front();
}

Values call(const PythonNode& node, const PythonNames& names) {
  Values given;
  for (const PythonNode& part : node.parts) {
    const Values more = python_values(part, names);
    given.insert(given.end(), more.begin(), more.end());
  }
  if (node.word == "range") return range_of(given);
  if (node.word == "list") return given;
  if (node.word == "len") return {static_cast<std::int64_t>(given.size())};
  if (given.empty()) throw Error(node.word + " of nothing");
  if (node.word == "max") return {*std::ranges::max_element(given)};
  if (node.word == "min") return {*std::ranges::min_element(given)};
  if (node.word == "int") return {only(given, "int")};
  if (node.word == "abs") return {only(given, "abs") < 0 ? apply("-", 0, given.front()) : given.front()};
  std::int64_t total = 0;
  for (const std::int64_t one : given) total = apply("+", total, one);
  return {total};
}

Values comprehension(const PythonNode& node, PythonNames names) {
  Values values;
  for (const std::int64_t one : python_values(node.parts[1], names)) {
    names[node.word] = {one};
    if (node.parts.size() > 2 && python_number(node.parts[2], names) == 0) continue;
    values.push_back(python_number(node.parts[0], names));
  }
  return values;
}

const Values& named(const std::string& name, const PythonNames& names) {
  const auto found = names.find(name);
  if (found == names.end()) throw Error(fmt::format("'{}' is not known here", name));
  return found->second;
}

Values binary(const PythonNode& node, const PythonNames& names) {
  if (node.word == "&&") return {python_number(node.parts[0], names) != 0 && python_number(node.parts[1], names) != 0};
  if (node.word == "||") return {python_number(node.parts[0], names) != 0 || python_number(node.parts[1], names) != 0};
  if (is_list(node, names)) {
    Values left = python_values(node.parts[0], names);
    const Values right = python_values(node.parts[1], names);
    left.insert(left.end(), right.begin(), right.end());
    if (left.size() > kMostValues) throw Error("more than 65,536 values");
    return left;
  }
  return {apply(node.word, python_number(node.parts[0], names), python_number(node.parts[1], names))};
}

/// How tightly an operator binds in a spec.
int rank(const PythonNode& node) {
  if (node.kind == Kind::unary) return 7;
  if (node.kind != Kind::binary || node.word == "**") return 8;
  if (node.word == "||") return 1;
  if (node.word == "&&") return 2;
  if (node.word == "==" || node.word == "!=") return 3;
  if (node.word.front() == '<' || node.word.front() == '>') return 4;
  return node.word == "+" || node.word == "-" ? 5 : 6;
}

std::string bracketed(const PythonNode& node, const SpecNaming& naming, int least) {
  const std::string text = spec_expression(node, naming);
  return rank(node) < least ? "(" + text + ")" : text;
}

}  // namespace

Values python_values(const PythonNode& node, const PythonNames& names) {
  switch (node.kind) {
    case Kind::number:
      return {node.value};
    case Kind::name:
      return named(node.word, names);
    case Kind::unary: {
      const std::int64_t value = python_number(node.parts[0], names);
      return {node.word == "-" ? apply("-", 0, value) : (value == 0 ? 1 : 0)};
    }
    case Kind::binary:
      return binary(node, names);
    case Kind::call:
      return call(node, names);
    case Kind::subscript: {
      const Values& list = named(node.word, names);
      const std::int64_t at = python_number(node.parts[0], names);
      if (at < 0 || at >= static_cast<std::int64_t>(list.size()))
        throw Error(fmt::format("{}[{}]: it has {}", node.word, at, list.size()));
      return {list[static_cast<std::size_t>(at)]};
    }
    case Kind::list: {
      Values values;
      for (const PythonNode& part : node.parts) values.push_back(python_number(part, names));
      return values;
    }
    case Kind::comprehension:
      return comprehension(node, names);
  }
  return {};
}

std::int64_t python_number(const PythonNode& node, const PythonNames& names) {
  const Values values = python_values(node, names);
  return only(values, "a list");
}

std::string spec_expression(const PythonNode& node, const SpecNaming& naming) {
  switch (node.kind) {
    case Kind::number:
      return naming.number(node.value);
    case Kind::name:
      return naming.name(node.word);
    case Kind::subscript:
      return naming.element(node.word, python_number(node.parts[0], naming.values));
    case Kind::unary:
      return node.word + bracketed(node.parts[0], naming, 7);
    case Kind::binary:
      break;
    case Kind::call: {
      if (node.word == "int" && node.parts.size() == 1) return spec_expression(node.parts[0], naming);
      const bool one = node.parts.size() == 1;
      if (one && (node.word == "max" || node.word == "min")) return std::to_string(call(node, naming.values).front());
      if (node.word != "max" && node.word != "min" && node.word != "abs")
        throw Error(fmt::format("{}(...) stands where a number is expected", node.word));
      std::string text;
      for (const PythonNode& part : node.parts) text += (text.empty() ? "" : ", ") + spec_expression(part, naming);
      return node.word + "(" + text + ")";
    }
    case Kind::list:
    case Kind::comprehension:
      throw Error("a list stands where a number is expected");
  }
  const PythonNode &left = node.parts[0], &right = node.parts[1];
  if (node.word == "**")
    return fmt::format("pow({}, {})", spec_expression(left, naming), spec_expression(right, naming));
  const int own = rank(node);
  return fmt::format("{} {} {}", bracketed(left, naming, own == 3 || own == 4 ? own + 1 : own), node.word,
                     bracketed(right, naming, own + 1));
}

}  // namespace kerlab::session
