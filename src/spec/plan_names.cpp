#include "spec/plan_names.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace kerlab::spec {

namespace {

/// Of a scalar: the name's ending, and what it says in C++.
constexpr std::array<std::pair<const char*, const char*>, 4> kProperties = {
    {{"zero", "{0} == 0.0"},
     {"one", "{0} == 1.0"},
     {"unit", "{0} == 0.0 || {0} == 1.0 || {0} == -1.0"},
     {"whole", "std::trunc({0}) == {0}"}}};

}  // namespace

PlanNames::PlanNames(const Family& family, Environment values) : constants_(std::move(values)) {
  for (const Dimension& dimension : family.dimensions) vary(dimension.name, "v_" + dimension.name);
  for (const ScalarDecl& scalar : family.scalars)
    for (const auto& [property, condition] : kProperties)
      vary(scalar.name + "." + property, fmt::format("s_{}_{}", scalar.name, property));
  fix("i", 0);
}

void PlanNames::vary(const std::string& name, const std::string& variable) {
  constants_.erase(name);
  variables_[name] = variable;
}

void PlanNames::fix(const std::string& name, std::int64_t value) {
  variables_.erase(name);
  constants_[name] = value;
}

CppName PlanNames::resolve(const std::string& name) {
  if (name.starts_with("device.")) facts_.insert(name);
  if (const auto variable = variables_.find(name); variable != variables_.end()) {
    used_.insert(name);
    return {std::nullopt, variable->second};
  }
  return {constants_.at(name), {}};
}

std::string PlanNames::text(const Expression& expression) {
  return cpp_text(expression, "e", [this](const std::string& name) { return resolve(name); });
}

std::optional<std::int64_t> PlanNames::constant(const Expression& expression) {
  return constant_value(expression, [this](const std::string& name) { return resolve(name); });
}

std::string PlanNames::scalar_declarations(const Family& family) const {
  std::string declared;
  for (std::size_t i = 0; i < family.scalars.size(); ++i)
    for (const auto& [property, condition] : kProperties) {
      const std::string& name = family.scalars[i].name;
      if (!used_.contains(name + "." + property)) continue;
      declared += fmt::format("  const std::int64_t s_{}_{} = {} ? 1 : 0;\n", name, property,
                              fmt::format(fmt::runtime(condition), fmt::format("request.scalars[{}]", i)));
    }
  return declared;
}

}  // namespace kerlab::spec
