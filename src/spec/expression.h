#pragma once
// Integer expressions of specs: checked 64-bit, lazy && || ?:, a column for every node, the set of names used.
//   || && == != < <= > >= + - * / % unary - ! ?: ( ) ceil_div(a,b) round_up(a,b) min(a,...) max(a,...) ilog2(a) abs(a)
// Names may contain dots: dtype.bytes, layout.nt, device.sms.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"

namespace kerlab {

/// Where something stands in a spec file: 1-based.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  [[nodiscard]] std::string text() const;  ///< "file:line:column"
};

/// A spec is wrong: "file:line:column: what: why".
class SpecError : public Error {
 public:
  SpecError(const SourceLocation& where, const std::string& what) : Error(where.text() + ": " + what), where_(where) {}
  [[nodiscard]] const SourceLocation& where() const { return where_; }

 private:
  SourceLocation where_;
};

/// Names to values. Lookup order is the caller's business.
using Environment = std::map<std::string, std::int64_t, std::less<>>;

class Expression {
 public:
  struct Node;
  Expression() = default;
  /// Parses; `where` is the location of the first character. Throws SpecError.
  static Expression parse(std::string_view text, const SourceLocation& where);
  static Expression constant(std::int64_t value);
  /// Throws SpecError: unknown name (with the nearest known), overflow, division by zero, with the column.
  [[nodiscard]] std::int64_t evaluate(const Environment& environment) const;
  [[nodiscard]] const std::set<std::string, std::less<>>& names() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const SourceLocation& where() const;
  [[nodiscard]] bool empty() const { return root_ == nullptr; }

 private:
  std::shared_ptr<const Node> root_;
  std::string text_;
  SourceLocation where_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace kerlab
