#include "spec/space/constraint_program.h"

#include <algorithm>

namespace kerlab::spec {

std::vector<Expression> conditions_of(const Variant& variant) {
  std::vector<Expression> conditions;
  for (const Constraint& constraint : variant.constraints) conditions.push_back(constraint.condition);
  return conditions;
}

bool Needs::no_parameter() const {
  return std::find(parameters.begin(), parameters.end(), true) == parameters.end();
}

ConstraintProgram::ConstraintProgram(const Variant& variant, const Problem& problem, const DeviceInfo& device)
    : ConstraintProgram(variant, conditions_of(variant), problem, device) {}

ConstraintProgram::ConstraintProgram(const Variant& variant, std::vector<Expression> conditions, const Problem& problem,
                                     const DeviceInfo& device)
    : variant_(&variant), conditions_(std::move(conditions)), environment_(problem.environment) {
  add_device(environment_, device);
  std::map<std::string, std::size_t> places;
  for (const Parameter& parameter : variant.parameters) places.emplace(parameter.name, places.size());
  for (const Derived& derived : variant.derived) places.emplace(derived.name, places.size());
  slots_.values.resize(places.size());
  slots_.failed.resize(places.size());
  const auto resolve = [&](const std::string& name) -> SlotExpression::Name {
    if (const auto place = places.find(name); place != places.end())
      return {false, static_cast<std::int64_t>(place->second)};
    return {true, environment_.at(name)};
  };
  for (const Derived& derived : variant.derived) {
    derived_.emplace_back(derived.value, resolve);
    derived_needs_.push_back(find_needs(derived.value));
  }
  for (const Expression& condition : conditions_) {
    programs_.emplace_back(condition, resolve);
    needs_.push_back(find_needs(condition));
  }
}

/// Of derived values those before are known already.
Needs ConstraintProgram::find_needs(const Expression& expression) const {
  Needs needs{std::vector<bool>(variant_->parameters.size()), std::vector<bool>(variant_->derived.size())};
  for (std::size_t p = 0; p < needs.parameters.size(); ++p)
    needs.parameters[p] = expression.uses(variant_->parameters[p].name);
  for (std::size_t d = 0; d < derived_needs_.size(); ++d) {
    if (!expression.uses(variant_->derived[d].name)) continue;
    const Needs& its = derived_needs_[d];
    for (std::size_t p = 0; p < needs.parameters.size(); ++p)
      needs.parameters[p] = needs.parameters[p] || its.parameters[p];
    for (std::size_t e = 0; e < d; ++e) needs.derived[e] = needs.derived[e] || its.derived[e];
    needs.derived[d] = true;
  }
  return needs;
}

void ConstraintProgram::compute(std::size_t derived) {
  const std::size_t slot = variant_->parameters.size() + derived;
  slots_.failed[slot] = derived_[derived].evaluate(slots_, slots_.values[slot]) ? 0 : 1;
}

void ConstraintProgram::compute(const Configuration& configuration) {
  for (std::size_t p = 0; p < configuration.values.size(); ++p) set(p, configuration.values[p]);
  for (std::size_t d = 0; d < derived_.size(); ++d) compute(d);
}

std::optional<std::int64_t> ConstraintProgram::value(std::size_t condition) const {
  std::int64_t value = 0;
  return programs_[condition].evaluate(slots_, value) ? std::optional(value) : std::nullopt;
}

ConstraintProgram::Answer ConstraintProgram::holds(std::size_t condition) const {
  std::int64_t value = 0;
  if (!programs_[condition].evaluate(slots_, value)) return Answer::unknown;
  return value != 0 ? Answer::yes : Answer::no;
}

void ConstraintProgram::throw_failure(std::size_t condition) const {
  Environment environment = environment_;
  for (std::size_t p = 0; p < variant_->parameters.size(); ++p)
    environment[variant_->parameters[p].name] = slots_.values[p];
  for (std::size_t d = 0; d < variant_->derived.size(); ++d)
    if (needs_[condition].derived[d])
      environment[variant_->derived[d].name] = variant_->derived[d].value.evaluate(environment);
  const Expression& expression = conditions_[condition];
  (void)expression.evaluate(environment);
  throw SpecError(expression.where(), "cannot be evaluated");
}

}  // namespace kerlab::spec
