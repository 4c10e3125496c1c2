#pragma once
// Integer expressions of specs: checked 64-bit, lazy && || ?:, a column for every node, the set of names used.
//   || && == != < <= > >= + - * / % unary - ! ?: ( )
//   ceil_div(a,b) round_up(a,b) min(a,...) max(a,...) ilog2(a) abs(a) pow(a,n)
// Names may contain dots: dtype.bytes, layout.nt, device.sms.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/modules.h"

namespace kerlab::spec {

/// Where something stands in a spec file: 1-based.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  std::string context;                     ///< what it belongs to: "condition of constraint 'k_step'"; may be empty
  [[nodiscard]] std::string text() const;  ///< "file:line:column"
};

/// A spec is wrong: "file:line:column: why (context)".
class SpecError : public Error {
 public:
  SpecError(const SourceLocation& where, const std::string& what)
      : Error(where.text() + ": " + what + (where.context.empty() ? "" : " (" + where.context + ")")), where_(where) {}
  [[nodiscard]] const SourceLocation& where() const { return where_; }

 private:
  SourceLocation where_;
};

/// Names to values. Lookup order is the caller's business.
using Environment = std::map<std::string, std::int64_t, std::less<>>;

/// Immutable once parsed; copies share the tree.
class Expression {
 public:
  struct Node;
  Expression() = default;
  /// Parses; `where` is the location of the first character. Throws SpecError.
  static Expression parse(std::string_view text, const SourceLocation& where);
  static Expression constant(std::int64_t value, const SourceLocation& where = {});
  /// Throws SpecError: unknown name (with the nearest known), overflow, division by zero, with the column.
  [[nodiscard]] std::int64_t evaluate(const Environment& environment) const;
  /// The names used, sorted.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool uses(std::string_view name) const;
  /// Where `name` stands first.
  [[nodiscard]] SourceLocation where_of(std::string_view name) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  [[nodiscard]] bool empty() const { return root_ == nullptr; }
  /// The tree (spec/expression/expression_node.h), for those who translate it.
  [[nodiscard]] const Node* root() const { return root_.get(); }

 private:
  std::shared_ptr<const Node> root_;
  std::string text_;
  SourceLocation where_;
  std::vector<std::string> names_;
};

/// Names that an expression calls as functions, and so nothing else may have.
const std::vector<std::string>& function_names();

}  // namespace kerlab::spec
