#include "session/adopt/t1_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "session/adopt/cuda_types.h"
#include "spec/toml/spec_table.h"

namespace kerlab::session {
namespace {

std::vector<std::int64_t> t1_values(const JsonNode& node) {
  std::vector<std::int64_t> values;
  if (node.is_array()) {
    for (const JsonNode& one : node.elements()) {
      if (!one.whole()) one.fail(fmt::format("'{}' is no whole number: kerlab's parameters are", one.shown()));
      values.push_back(*one.whole());
    }
  } else {
    const PythonNode tree = t1_expression(node);
    try {
      values = python_values(tree, {});
    } catch (const Error& error) {
      node.fail(error.what());
    }
  }
  if (values.empty()) node.fail("no value");
  std::set<std::int64_t> seen;
  std::erase_if(values, [&](std::int64_t value) { return !seen.insert(value).second; });
  return values;
}

DraftParameter parameter_of(const JsonNode& node) {
  DraftParameter parameter;
  const JsonNode name = node.at("Name");
  parameter.name = name.text();
  if (!spec::is_identifier(parameter.name) || name_in_spec(parameter.name) != parameter.name)
    name.fail(fmt::format("'{}' is no name that a parameter can have: letters, digits and _, and no word of the format",
                          parameter.name));
  parameter.values = t1_values(node.at("Values"));
  parameter.value = parameter.values.front();
  auto given = node.find("Default");
  if (given && given->is_array() && !given->elements().empty()) given = given->elements().front();
  const auto value = given ? given->whole() : std::nullopt;
  if (value && std::ranges::find(parameter.values, *value) != parameter.values.end())
    parameter.value = *value;
  else if (given)
    parameter.note = fmt::format("its default there, {}, is none of its values", given->shown());
  return parameter;
}

bool holds(const T1Condition& condition, const PythonNames& names) {
  try {
    return python_number(condition.tree, names) != 0;
  } catch (const Error& error) {
    condition.where.fail(error.what());
  }
}

bool is_valid(const T1Space& space, const PythonNames& names) {
  return std::ranges::all_of(space.conditions, [&](const T1Condition& one) { return holds(one, names); });
}

/// Tries to make it valid by `changes` other values, of parameters from `first` on.
bool mend(const T1Space& space, PythonNames& names, std::size_t first, int changes, std::size_t& tries) {
  constexpr std::size_t kMostTries = 200000;
  if (is_valid(space, names)) return true;
  if (changes == 0) return false;
  for (std::size_t p = first; p < space.parameters.size(); ++p) {
    const std::vector<std::int64_t> kept = names[space.parameters[p].name];
    for (const std::int64_t value : space.parameters[p].values) {
      if (++tries > kMostTries) return false;
      names[space.parameters[p].name] = {value};
      if (mend(space, names, p + 1, changes - 1, tries)) return true;
    }
    names[space.parameters[p].name] = kept;
  }
  return false;
}

void make_defaults_valid(T1Space& space, const JsonNode& where) {
  std::size_t tries = 0;
  for (int changes = 0; changes <= 4; ++changes) {
    PythonNames names = space.defaults();
    if (!mend(space, names, 0, changes, tries)) continue;
    for (DraftParameter& parameter : space.parameters) {
      if (names[parameter.name].front() == parameter.value) continue;
      parameter.note = fmt::format("its default there, {}, does not satisfy the conditions", parameter.value);
      parameter.value = names[parameter.name].front();
    }
    return;
  }
  where.fail("the conditions reject the defaults and everything near them");
}

}  // namespace

PythonNames T1Space::defaults() const {
  PythonNames names;
  for (const DraftParameter& parameter : parameters) names[parameter.name] = {parameter.value};
  return names;
}

PythonNames T1Space::lists() const {
  PythonNames names;
  for (const DraftParameter& parameter : parameters) names[parameter.name] = parameter.values;
  return names;
}

PythonNode t1_expression(const JsonNode& node) {
  if (const auto whole = node.whole()) return {PythonNode::Kind::number, *whole, "", {}};
  const std::string text = node.text();
  try {
    return parse_python(text);
  } catch (const Error& error) {
    node.fail(fmt::format("'{}', {}", text.substr(0, 80), error.what()));
  }
}

T1Space read_t1_space(const JsonNode& root) {
  T1Space space;
  const JsonNode node = root.at("ConfigurationSpace");
  for (const JsonNode& one : node.at("TuningParameters").elements()) {
    space.parameters.push_back(parameter_of(one));
    const std::string& name = space.parameters.back().name;
    if (std::ranges::count(space.parameters, name, &DraftParameter::name) > 1)
      one.fail(fmt::format("a second parameter '{}'", name));
  }
  if (const auto conditions = node.find("Conditions"))
    for (const JsonNode& one : conditions->elements()) {
      const JsonNode expression = one.at("Expression");
      space.conditions.push_back({expression.shown(), t1_expression(expression), expression});
    }
  make_defaults_valid(space, node);
  return space;
}

}  // namespace kerlab::session
