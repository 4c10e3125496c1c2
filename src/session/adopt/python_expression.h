#pragma once
// Expressions in Python's syntax, as tuners' JSON files have them: values of parameters, conditions, sizes. Whole
// numbers only.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::session {

struct PythonNode {
  enum class Kind : std::uint8_t { number, name, unary, binary, call, subscript, list, comprehension };
  Kind kind = Kind::number;
  std::int64_t value = 0;         ///< of a number
  std::string word;               ///< a name, an operator, what is called; of a comprehension its variable
  std::vector<PythonNode> parts;  ///< operands; of a comprehension: element, list, and a condition if there is one
};

/// Throws Error, "column 7: ...".
PythonNode parse_python(const std::string& text);

/// Names and what they are; a name that is a list (ProblemSize, all values of a parameter) has several.
using PythonNames = std::map<std::string, std::vector<std::int64_t>>;

/// A list, or one number. Throws Error for what cannot be known: names that are not given, more than 65,536 values.
std::vector<std::int64_t> python_values(const PythonNode& node, const PythonNames& names);
/// Throws Error where it is no single number.
std::int64_t python_number(const PythonNode& node, const PythonNames& names);

/// How names and numbers are called in a spec.
struct SpecNaming {
  std::function<std::string(const std::string&)> name;                   ///< throws Error for one that is not known
  std::function<std::string(const std::string&, std::int64_t)> element;  ///< of a list: ProblemSize[0]
  std::function<std::string(std::int64_t)> number;
  PythonNames values;  ///< of whole lists, for max(...)
};
/// The same as an expression of a spec. Both round a quotient of numbers that are not negative down.
std::string spec_expression(const PythonNode& node, const SpecNaming& naming);

}  // namespace kerlab::session
