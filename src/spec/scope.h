#pragma once
// Which names a spec has declared, and which of them expressions may use.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "spec/spec.h"

namespace kerlab::spec {

enum class NameKind : std::uint8_t { dimension, flag, scalar, derived, tensor, parameter, workspace, tensor_map };

class Scope {
 public:
  /// Throws SpecError for a name that is taken (naming where) or reserved. Dimensions, derived values and parameters
  /// become usable in expressions.
  void declare(NameKind kind, const std::string& name, const SourceLocation& where);
  /// The same of a parameter; of one of names only its words are usable, LAYOUT.row.
  void declare_parameter(const Parameter& parameter);
  /// Of a parameter of names its words, by value; null: `name` is none.
  [[nodiscard]] const std::vector<std::string>* words(std::string_view name) const;
  /// Makes a name usable in expressions without declaring it: "layout.nt", "device.sms", "i".
  void know(const std::string& name);
  /// Throws SpecError for an unknown name in the expression, with the nearest known.
  void check(const Expression& expression) const;
  void check(const std::vector<Expression>& expressions) const;
  /// What `name` is; null when nothing declared it.
  [[nodiscard]] const NameKind* find(std::string_view name) const;
  [[nodiscard]] bool knows(std::string_view name) const;
  /// All names, for suggestions.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Entry {
    NameKind kind;
    SourceLocation where;
  };
  std::map<std::string, Entry, std::less<>> declared_;
  std::vector<std::string> known_;  ///< sorted
  std::map<std::string, std::vector<std::string>, std::less<>> words_;
};

/// Everything a family declares; throws SpecError for duplicates.
Scope family_scope(const Family& family);
/// And what a variant declares, save its tensor maps, with what is known of the device: what its constraints may use.
Scope variant_scope(const Variant& variant, const Family& family);

/// Puts each value after those it uses; throws SpecError for a cycle.
void sort_derived(std::vector<Derived>& derived);

}  // namespace kerlab::spec
