#pragma once
// What every name of a spec is in the C++ text of a plan: a value that never changes, or a variable.

#include <map>
#include <set>
#include <string>

#include "spec/expression/cpp_expression.h"
#include "spec/spec.h"

namespace kerlab::spec {

class PlanNames {
 public:
  /// Of `values` (a configured environment) dimensions and properties of scalars vary; `i` is 0.
  PlanNames(const Family& family, Environment values);

  void vary(const std::string& name, const std::string& variable);
  void fix(const std::string& name, std::int64_t value);
  [[nodiscard]] bool varies(const std::string& name) const { return variables_.contains(name); }

  [[nodiscard]] std::string text(const Expression& expression);
  [[nodiscard]] std::optional<std::int64_t> constant(const Expression& expression);

  /// Declarations of the properties of scalars that were asked for.
  [[nodiscard]] std::string scalar_declarations(const Family& family) const;
  /// device.* names that were asked for.
  [[nodiscard]] const std::set<std::string>& facts() const { return facts_; }

 private:
  CppName resolve(const std::string& name);

  Environment constants_;
  std::map<std::string, std::string> variables_;
  std::set<std::string> used_, facts_;
};

}  // namespace kerlab::spec
