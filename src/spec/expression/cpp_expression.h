#pragma once
// Expressions as C++17: for exported dispatchers, which evaluate them where no kerlab is.

#include <functional>
#include <optional>
#include <string>

#include "spec/expression/expression.h"

namespace kerlab::spec {

/// What a name stands for in the C++ text: a value that never changes, or a variable.
struct CppName {
  std::optional<std::int64_t> constant;
  std::string variable;
};

/// The text of a std::int64_t expression that calls the members of `checked` (report/dispatch/checked.h) and has the
/// value of Expression::evaluate, or leaves `checked` failed where that throws. What depends on constants only is one
/// literal, unless it has no value.
std::string cpp_text(const Expression& expression, const std::string& checked,
                     const std::function<CppName(const std::string&)>& resolve);

/// The value of an expression of constants; none where it depends on a variable or has no value.
std::optional<std::int64_t> constant_value(const Expression& expression,
                                           const std::function<CppName(const std::string&)>& resolve);

/// A literal of type std::int64_t, the least one too.
std::string cpp_literal(std::int64_t value);

}  // namespace kerlab::spec
