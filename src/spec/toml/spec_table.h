#pragma once
// Typed access to one TOML table; whatever is wrong is thrown as SpecError with the place and the key's name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/dtype.h"
#include "spec/expression/expression.h"
#include "spec/toml/toml_reader.h"

namespace kerlab::spec {

class SpecTable {
 public:
  /// `what` names the table in messages ("parameter 'BM'"). Throws for a key that is not in `keys`. Keeps a reference.
  SpecTable(const TomlValue& value, std::string what, const std::vector<std::string_view>& keys);
  /// A table of an array of tables, called by `kind` and what its `name_key` says.
  static SpecTable named(const TomlValue& value, std::string_view kind, const std::vector<std::string_view>& keys,
                         std::string_view name_key = "name");

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  /// Where the key's value stands.
  [[nodiscard]] SourceLocation where(std::string_view key) const;
  /// Throws SpecError at the key's value (or the table, when it is missing).
  [[noreturn]] void fail(std::string_view key, const std::string& what) const;

  // With a fallback the key may be missing.
  [[nodiscard]] std::string text(std::string_view key, std::optional<std::string> fallback = {}) const;
  /// A letter or _, then letters, digits, _.
  [[nodiscard]] std::string identifier(std::string_view key, std::optional<std::string> fallback = {}) const;
  [[nodiscard]] std::int64_t integer(std::string_view key, std::optional<std::int64_t> fallback = {}) const;
  [[nodiscard]] double number(std::string_view key, std::optional<double> fallback = {}) const;
  [[nodiscard]] bool boolean(std::string_view key, bool fallback) const;
  [[nodiscard]] std::optional<DType> dtype(std::string_view key) const;
  /// One of `choices`.
  [[nodiscard]] std::size_t choice(std::string_view key, const std::vector<std::string>& choices,
                                   std::size_t fallback) const;
  /// String, integer or boolean.
  [[nodiscard]] Expression expression(std::string_view key) const;
  [[nodiscard]] Expression expression_or_empty(std::string_view key) const;

  // Lists: empty when missing. A list of expressions may be a single one.
  [[nodiscard]] std::vector<Expression> expressions(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key) const;
  [[nodiscard]] std::vector<double> numbers(std::string_view key) const;
  [[nodiscard]] std::vector<DType> dtypes(std::string_view key) const;
  /// [[key]]
  [[nodiscard]] std::vector<TomlValue> tables(std::string_view key) const;
  /// The strings of a list, each with its place; `integers_too`: as text.
  [[nodiscard]] std::vector<std::pair<std::string, SourceLocation>> located_texts(std::string_view key,
                                                                                  bool integers_too = false) const;
  [[nodiscard]] const TomlValue* find(std::string_view key) const;

 private:
  [[nodiscard]] const TomlValue& require(std::string_view key, TomlValue::Kind kind, std::string_view wanted) const;
  [[nodiscard]] const TomlValue* list(std::string_view key) const;
  [[nodiscard]] SourceLocation in_context(const SourceLocation& place, std::string_view key) const;
  [[nodiscard]] Expression to_expression(std::string_view key, const TomlValue& value) const;
  [[nodiscard]] DType to_dtype(std::string_view key, const TomlValue& value) const;

  const TomlValue& value_;
  std::string what_;
  SourceLocation where_;
};

bool is_identifier(std::string_view text);
/// ", did you mean 'x'?" or empty.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kerlab::spec
