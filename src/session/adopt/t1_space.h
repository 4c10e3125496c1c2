#pragma once
// The configuration space of a T1 file: parameters, conditions, and a configuration that satisfies them all.

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "session/adopt/draft.h"
#include "session/adopt/python_expression.h"

namespace kerlab::session {

struct T1Condition {
  std::string text;
  PythonNode tree;
  JsonNode where;
};

struct T1Space {
  std::vector<DraftParameter> parameters;
  std::vector<T1Condition> conditions;
  [[nodiscard]] PythonNames defaults() const;
  /// Every value of each parameter: of max(...).
  [[nodiscard]] PythonNames lists() const;
};

/// An expression of the file. Throws Error with its place.
PythonNode t1_expression(const JsonNode& node);

/// The parameters' defaults are valid: where those of the file are not, the nearest that are, with a note.
T1Space read_t1_space(const JsonNode& root);

}  // namespace kerlab::session
