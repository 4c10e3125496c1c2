#include "session/adopt/python_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/error.h"

namespace kerlab::session {
namespace {

using Kind = PythonNode::Kind;
constexpr int kDeepestPython = 100;

struct PythonToken {
  std::string text;  ///< empty: the end
  std::size_t column = 0;
  bool is_word = false, is_number = false;
};

[[noreturn]] void fail(std::size_t column, const std::string& what) {
  throw Error(fmt::format("column {}: {}", column, what));
}

bool of_python_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::vector<PythonToken> python_tokens(const std::string& text) {
  constexpr std::array<std::string_view, 6> kTwoSigns = {"//", "**", "==", "!=", "<=", ">="};
  std::vector<PythonToken> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t length = 1;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
      continue;
    }
    if (of_python_word(c)) {
      while (at + length < text.size() && (of_python_word(text[at + length]) || text[at + length] == '.')) ++length;
    } else if (std::ranges::find(kTwoSigns, std::string_view(text).substr(at, 2)) != kTwoSigns.end()) {
      length = 2;
    } else if (std::string_view("+-*/%<>()[],").find(c) == std::string_view::npos) {
      fail(at + 1, fmt::format("'{}' is not understood", c));
    }
    const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
    tokens.push_back({text.substr(at, length), at + 1, of_python_word(c) && !number, number});
    at += length;
  }
  tokens.push_back({"", text.size() + 1});
  return tokens;
}

PythonNode python_number_node(std::int64_t value) {
  return {Kind::number, value, "", {}};
}

PythonNode binary_node(std::string word, PythonNode left, PythonNode right) {
  PythonNode node{Kind::binary, 0, std::move(word), {}};
  node.parts.push_back(std::move(left));
  node.parts.push_back(std::move(right));
  return node;
}

class PythonParser {
 public:
  explicit PythonParser(const std::string& text) : tokens_(python_tokens(text)) {}

  PythonNode parse() {
    PythonNode node = disjunction();
    if (!now().text.empty()) fail(now().column, fmt::format("'{}' is not expected here", now().text));
    return node;
  }

 private:
  [[nodiscard]] const PythonToken& now() const { return tokens_[at_]; }
  bool take(std::string_view text) {
    if (now().text != text || text.empty()) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) fail(now().column, fmt::format("'{}' is missing", text));
  }

  PythonNode disjunction() {
    if (++depth_ > kDeepestPython) fail(now().column, "nested too deeply");
    PythonNode left = conjunction();
    while (take("or")) left = binary_node("||", std::move(left), conjunction());
    --depth_;
    return left;
  }

  PythonNode conjunction() {
    PythonNode left = negation();
    while (take("and")) left = binary_node("&&", std::move(left), negation());
    return left;
  }

  PythonNode negation() {
    if (!take("not")) return comparison();
    if (++depth_ > kDeepestPython) fail(now().column, "nested too deeply");
    PythonNode node{Kind::unary, 0, "!", {}};
    node.parts.push_back(negation());
    --depth_;
    return node;
  }

  /// a <= b < c is a <= b and b < c.
  PythonNode comparison() {
    PythonNode left = sum();
    std::vector<PythonNode> links;
    for (;;) {
      const std::string word = now().text;
      const bool absent = word == "not" && tokens_[at_ + 1].text == "in";
      if (absent) ++at_;
      if (take("in")) {
        links.push_back(membership(left, absent));
        break;
      }
      constexpr std::array<std::string_view, 6> kWords = {"==", "!=", "<=", ">=", "<", ">"};
      if (std::ranges::find(kWords, word) == kWords.end()) break;
      ++at_;
      PythonNode right = sum();
      links.push_back(binary_node(word, left, right));
      left = std::move(right);
    }
    if (links.empty()) return left;
    PythonNode all = std::move(links.front());
    for (std::size_t i = 1; i < links.size(); ++i) all = binary_node("&&", std::move(all), std::move(links[i]));
    return all;
  }

  /// x in [1, 2] is x == 1 or x == 2.
  PythonNode membership(const PythonNode& left, bool absent) {
    const std::size_t column = now().column;
    const PythonNode list = atom();
    if (list.kind != Kind::list || list.parts.empty()) fail(column, "behind 'in' a list [...] is expected");
    PythonNode any = binary_node("==", left, list.parts.front());
    for (std::size_t i = 1; i < list.parts.size(); ++i)
      any = binary_node("||", std::move(any), binary_node("==", left, list.parts[i]));
    if (!absent) return any;
    return {Kind::unary, 0, "!", {std::move(any)}};
  }

  PythonNode sum() {
    PythonNode left = product();
    for (;;) {
      if (take("+"))
        left = binary_node("+", std::move(left), product());
      else if (take("-"))
        left = binary_node("-", std::move(left), product());
      else
        return left;
    }
  }

  PythonNode product() {
    PythonNode left = signed_factor();
    for (;;) {
      if (take("*"))
        left = binary_node("*", std::move(left), signed_factor());
      else if (take("//") || take("/"))
        left = binary_node("/", std::move(left), signed_factor());
      else if (take("%"))
        left = binary_node("%", std::move(left), signed_factor());
      else
        return left;
    }
  }

  PythonNode signed_factor() {
    if (++depth_ > kDeepestPython) fail(now().column, "nested too deeply");
    PythonNode node;
    if (take("-")) {
      node = {Kind::unary, 0, "-", {}};
      node.parts.push_back(signed_factor());
    } else {
      node = atom();
      if (take("**")) node = binary_node("**", std::move(node), signed_factor());
    }
    --depth_;
    return node;
  }

  PythonNode atom() {
    const PythonToken token = now();
    if (take("(")) {
      PythonNode node = disjunction();
      if (now().text == ",") {  // a tuple is as good as a list
        node = rest_of_list(std::move(node), ")");
      } else {
        expect(")");
      }
      return node;
    }
    if (take("[")) return list();
    if (token.is_number) {
      ++at_;
      std::int64_t value = 0;
      const char* end = token.text.data() + token.text.size();
      const auto read = std::from_chars(token.text.data(), end, value);
      if (read.ec != std::errc{} || read.ptr != end)
        fail(token.column, fmt::format("'{}' is no whole number", token.text));
      return python_number_node(value);
    }
    if (!token.is_word)
      fail(token.column,
           token.text.empty() ? "it ends too early" : fmt::format("'{}' is not expected here", token.text));
    ++at_;
    if (token.text == "True" || token.text == "False") return python_number_node(token.text == "True" ? 1 : 0);
    if (take("(")) return call(token.text);
    PythonNode node{Kind::name, 0, token.text, {}};
    if (!take("[")) return node;
    PythonNode element{Kind::subscript, 0, token.text, {}};
    element.parts.push_back(disjunction());
    expect("]");
    return element;
  }

  PythonNode rest_of_list(PythonNode first, std::string_view end) {
    PythonNode node{Kind::list, 0, "", {}};
    node.parts.push_back(std::move(first));
    while (take(","))
      if (now().text != end) node.parts.push_back(disjunction());
    expect(end);
    return node;
  }

  /// Behind [: elements, or an element for each i of a list.
  PythonNode list() {
    if (take("]")) return {Kind::list, 0, "", {}};
    PythonNode first = disjunction();
    if (!take("for")) return rest_of_list(std::move(first), "]");
    PythonNode node{Kind::comprehension, 0, now().text, {}};
    if (!now().is_word) fail(now().column, "behind 'for' a name is expected");
    ++at_;
    node.parts.push_back(std::move(first));
    expect("in");
    node.parts.push_back(sum());
    if (take("if")) node.parts.push_back(disjunction());
    expect("]");
    return node;
  }

  PythonNode call(const std::string& name) {
    constexpr std::array<std::string_view, 8> kCalls = {"range", "list", "max", "min", "int", "abs", "len", "sum"};
    if (std::ranges::find(kCalls, name) == kCalls.end())
      fail(tokens_[at_ - 2].column,
           fmt::format("'{}' is no function that kerlab knows: range, list, max, min, int, abs, len, sum", name));
    PythonNode node{Kind::call, 0, name, {}};
    while (!take(")")) {
      node.parts.push_back(disjunction());
      if (now().text != ")") expect(",");
    }
    return node;
  }

  std::vector<PythonToken> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

PythonNode parse_python(const std::string& text) {
  constexpr std::size_t kLongest = 65536;
  if (text.size() > kLongest) throw Error("longer than 64 KiB");
  return PythonParser(text).parse();
}

}  // namespace kerlab::session
