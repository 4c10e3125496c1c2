// Whether a variant can do a problem on a device, and whether a configuration is valid for it.

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "plan/device_facts.h"
#include "spec/parameter_environment.h"
#include "spec/space/completed_configuration.h"
#include "spec/space/constraint_program.h"
#include "spec/space/unsupported.h"

namespace kerlab::spec {
namespace {

using Answer = ConstraintProgram::Answer;

/// Throws the SpecError of a constraint that cannot be evaluated.
bool holds(const ConstraintProgram& program, std::size_t constraint) {
  const Answer answer = program.holds(constraint);
  if (answer == Answer::unknown) program.throw_failure(constraint);
  return answer == Answer::yes;
}

/// Of those that need no parameter but these. Constraints without any come first: they say whether the problem is
/// supported at all.
std::size_t first_violated(const Variant& variant, const ConstraintProgram& program, const std::vector<bool>& of) {
  const auto concerned = [&of](const std::vector<bool>& needed) {
    for (std::size_t p = 0; p < needed.size(); ++p)
      if (needed[p] && !of[p]) return false;
    return true;
  };
  for (const bool without_parameters : {true, false})
    for (std::size_t c = 0; c < variant.constraints.size(); ++c)
      if (program.needs_of(c).no_parameter() == without_parameters && concerned(program.needs_of(c).parameters) &&
          !holds(program, c))
        return c;
  return variant.constraints.size();
}

/// "M > 16" where "M <= 16" does not hold; of a longer condition what it is called: "needs few tiles".
std::string brief_failure(const Constraint& constraint) {
  constexpr std::pair<std::string_view, std::string_view> kOpposites[] = {{"<=", ">"},  {">=", "<"}, {"==", "!="},
                                                                          {"!=", "=="}, {"<", ">="}, {">", "<="}};
  std::istringstream text(constraint.condition.text());
  std::string left, comparison, right, more;
  text >> left >> comparison >> right;
  if (!right.empty() && !(text >> more))
    for (const auto& [holds, fails] : kOpposites)
      if (comparison == holds) return fmt::format("{} {} {}", left, fails, right);
  std::string called = constraint.name;
  std::replace(called.begin(), called.end(), '_', ' ');
  return "needs " + called;
}

/// Why a variant takes no part whatever its constraints say; empty: it does.
Unsupported ruled_out(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  if (!variant.dtypes.empty() &&
      std::find(variant.dtypes.begin(), variant.dtypes.end(), problem.dtype) == variant.dtypes.end()) {
    std::vector<std::string_view> offered;
    for (const DType dtype : variant.dtypes) offered.push_back(name(dtype));
    return {fmt::format("has no {} (it has {})", name(problem.dtype), fmt::join(offered, ", ")),
            fmt::format("no {}", name(problem.dtype))};
  }
  const int cc = device.compute_capability();
  if (cc < variant.minimum_cc || cc > variant.maximum_cc) {
    const std::string needs =
        fmt::format("needs sm_{}{}", cc < variant.minimum_cc ? variant.minimum_cc : variant.maximum_cc,
                    cc < variant.minimum_cc ? " or newer" : " or older");
    return {fmt::format("{}, the device is sm_{}", needs, cc), needs};
  }
  for (const auto& [flag, chosen] : problem.flags) {
    const auto concerns = [&, &name = flag](const std::string& text) { return text.starts_with(name + "="); };
    const bool restricted = std::any_of(variant.required_flags.begin(), variant.required_flags.end(), concerns);
    const std::string wanted = flag + "=" + chosen;
    if (restricted &&
        std::find(variant.required_flags.begin(), variant.required_flags.end(), wanted) == variant.required_flags.end())
      return {fmt::format("does not support {} (it supports {})", wanted, fmt::join(variant.required_flags, ", ")),
              "no " + wanted};
  }
  if (problem.row_padding.bytes > 0 && variant.pitch.empty())
    return {"takes no tensor with padded rows (it says no pitch = [...])", "no padded rows"};
  return {};
}

/// What cannot be evaluated is left out: it fails those that need it.
Environment known_environment(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                              const Configuration& configuration) {
  Environment environment = parameter_environment(variant, problem, configuration, device);
  for (const Derived& derived : variant.derived) {
    try {
      environment[derived.name] = derived.value.evaluate(environment);
    } catch (const SpecError&) {
      continue;
    }
  }
  return environment;
}

bool is_offered(const Parameter& parameter, std::int64_t value) {
  return std::ranges::find(parameter.values, value) != parameter.values.end();
}

}  // namespace

void add_device(Environment& environment, const DeviceInfo& device) {
  environment[kComputeCapability] = device.compute_capability();
  device_facts(device, [&](const char* name, std::int64_t value) { environment[name] = value; });
}

std::string violated_constraint(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                const Configuration& configuration) {
  return violated_constraint(variant, problem, device, configuration,
                             std::vector<bool>(variant.parameters.size(), true));
}

std::string violated_constraint(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                const Configuration& configuration, const std::vector<bool>& of) {
  for (std::size_t p = 0; p < variant.parameters.size(); ++p) {
    if (!of[p]) continue;
    const Parameter& parameter = variant.parameters[p];
    const std::int64_t value = configuration.values.at(p);
    if (!is_offered(parameter, value))
      return fmt::format("parameter '{}': {} is not one of {}", parameter.name, value_text(parameter, value),
                         listed_values(parameter));
  }
  ConstraintProgram program(variant, problem, device);
  program.compute(configuration);
  const std::size_t violated = first_violated(variant, program, of);
  if (violated == variant.constraints.size()) return {};
  const Constraint& constraint = variant.constraints[violated];
  return fmt::format("constraint '{}': {} does not hold", constraint.name, constraint.condition.text());
}

Unsupported unsupported(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  if (Unsupported ruled = ruled_out(variant, problem, device); !ruled.reason.empty()) return ruled;
  ConstraintProgram program(variant, problem, device);
  for (std::size_t d = 0; d < variant.derived.size(); ++d) program.compute(d);
  for (std::size_t c = 0; c < variant.constraints.size(); ++c) {
    const Constraint& constraint = variant.constraints[c];
    if (program.needs_of(c).no_parameter() && !holds(program, c))
      return {fmt::format("needs {} (constraint '{}')", constraint.condition.text(), constraint.name),
              brief_failure(constraint)};
  }
  return {};
}

std::string unsupported_reason(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  const std::string reason = unsupported(variant, problem, device).reason;
  return reason.empty() ? "" : fmt::format("variant '{}' {}", variant.name, reason);
}

bool is_valid_on(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                 const Configuration& configuration) {
  if (!ruled_out(variant, problem, device).reason.empty()) return false;
  for (std::size_t p = 0; p < variant.parameters.size(); ++p)
    if (!is_offered(variant.parameters[p], configuration.values.at(p))) return false;
  const Environment environment = known_environment(variant, problem, device, configuration);
  try {
    return std::ranges::all_of(variant.constraints, [&](const Constraint& constraint) {
      return constraint.condition.evaluate(environment) != 0;
    });
  } catch (const SpecError&) {  // unless one of those that count first does not hold
    return violated_constraint(variant, problem, device, configuration).empty();
  }
}

}  // namespace kerlab::spec
