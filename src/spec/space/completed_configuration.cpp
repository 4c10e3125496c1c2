#include "spec/space/completed_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace kerlab::spec {
namespace {

/// The first valid configuration, in the order of the files, with one value that is not as in `wanted` and not `fixed`.
std::optional<Configuration> one_step_away(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                           const Configuration& wanted, const std::vector<bool>& fixed) {
  const auto valid_with = [&](std::size_t parameter, std::size_t from, std::size_t to) -> std::optional<Configuration> {
    Configuration other = wanted;
    for (std::size_t digit = from; digit < to && !fixed[parameter]; ++digit) {
      other.values[parameter] = variant.parameters[parameter].values[digit];
      if (violated_constraint(variant, problem, device, other).empty()) return other;
    }
    return std::nullopt;
  };
  std::vector<std::size_t> digits;
  for (std::size_t p = 0; p < wanted.values.size(); ++p) {
    const auto& values = variant.parameters[p].values;
    digits.push_back(static_cast<std::size_t>(std::ranges::find(values, wanted.values[p]) - values.begin()));
    if (digits[p] == values.size()) return std::nullopt;
  }
  for (std::size_t p = 0; p < digits.size(); ++p)
    if (auto before = valid_with(p, 0, digits[p])) return before;
  for (std::size_t p = digits.size(); p-- > 0;)
    if (auto after = valid_with(p, digits[p] + 1, variant.parameters[p].values.size())) return after;
  return std::nullopt;
}

std::size_t differences(const Configuration& a, const Configuration& b) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < a.values.size(); ++p) count += a.values[p] != b.values[p] ? 1 : 0;
  return count;
}

/// The valid configuration with the same values where `fixed` says so that differs in the fewest others, the first of
/// these in the order of the files. None: there is none.
std::optional<Configuration> nearest_valid(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                           const Configuration& wanted, const std::vector<bool>& fixed) {
  // Some spaces have millions.
  if (auto near = one_step_away(variant, problem, device, wanted, fixed)) return near;
  Variant rest = variant;  // only what is fixed
  for (std::size_t p = 0; p < fixed.size(); ++p)
    if (fixed[p]) rest.parameters[p].values = {wanted.values[p]};
  try {
    const std::vector<Configuration> valid = enumerate(rest, problem, device).valid;
    if (valid.empty()) return std::nullopt;
    return *std::ranges::min_element(valid, {}, [&](const Configuration& other) { return differences(other, wanted); });
  } catch (const SpecError&) {
    return std::nullopt;  // nothing is valid
  }
}

bool is_listed(const Parameter& parameter, std::int64_t value) {
  return std::ranges::count(parameter.values, value) > 0;
}

/// Unlisted values count as listed nowhere: the nearest is looked for from the default.
Configuration with_listed_values(const Variant& variant, Configuration configuration) {
  for (std::size_t p = 0; p < variant.parameters.size(); ++p)
    if (!is_listed(variant.parameters[p], configuration.values[p]))
      configuration.values[p] = variant.parameters[p].default_value;
  return configuration;
}

std::vector<ParameterChange> changes_between(const Variant& variant, const Configuration& from,
                                             const Configuration& to) {
  std::vector<ParameterChange> changes;
  for (std::size_t p = 0; p < variant.parameters.size(); ++p)
    if (from.values[p] != to.values[p]) {
      const Parameter& parameter = variant.parameters[p];
      changes.push_back({parameter.name, value_text(parameter, from.values[p]), value_text(parameter, to.values[p])});
    }
  return changes;
}

/// With nothing fixed.
std::optional<Configuration> nearest_of_all(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                            const Configuration& wanted) {
  const Configuration listed = with_listed_values(variant, wanted);
  if (violated_constraint(variant, problem, device, listed).empty()) return listed;
  return nearest_valid(variant, problem, device, listed, std::vector<bool>(listed.values.size()));
}

}  // namespace

CompletedConfiguration complete_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                              const Configuration& wanted, const std::vector<bool>& typed) {
  CompletedConfiguration completed{
      wanted, true, std::ranges::count(typed, true) == 0, violated_constraint(variant, problem, device, wanted), {}};
  if (completed.broken.empty()) return completed;
  bool listed = true;
  for (std::size_t p = 0; p < typed.size(); ++p)
    listed = listed && (!typed[p] || is_listed(variant.parameters[p], wanted.values[p]));
  const auto nearest = listed ? nearest_valid(variant, problem, device, wanted, typed) : std::nullopt;
  if (nearest) {
    completed.configuration = *nearest;
    completed.changes = changes_between(variant, wanted, *nearest);
    return completed;
  }
  completed.valid = false;
  if (std::string by_typed = violated_constraint(variant, problem, device, wanted, typed); !by_typed.empty())
    completed.broken = std::move(by_typed);
  if (const auto other = nearest_of_all(variant, problem, device, wanted))
    completed.changes = changes_between(variant, wanted, *other);
  return completed;
}

CompletedConfiguration complete_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                              const std::string& text) {
  std::vector<bool> typed;
  const Configuration wanted = parse_configuration(variant, text, typed);
  return complete_configuration(variant, problem, device, wanted, typed);
}

Configuration parse_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                  const std::string& text) {
  return complete_configuration(variant, problem, device, text).configuration;
}

Configuration default_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  return complete_configuration(variant, problem, device, "").configuration;
}

std::string changes_text(const std::vector<ParameterChange>& changes) {
  std::string text;
  for (const ParameterChange& change : changes)
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", change.parameter, change.from, change.to);
  return text;
}

std::string completion_remark(const CompletedConfiguration& completed) {
  if (completed.changes.empty()) return "";
  return fmt::format("{}: {}; nearest valid: {}",
                     completed.by_default ? "the default is not valid here" : "not valid as typed", completed.broken,
                     changes_text(completed.changes));
}

void require_valid(const CompletedConfiguration& completed, const Variant& variant, const Problem& problem) {
  if (completed.valid) return;
  throw UsageError(fmt::format(
      "{} {} is not valid for {}: {}{}", variant.name, configuration_text(variant, completed.configuration),
      problem.title(), completed.broken,
      completed.changes.empty() ? "" : fmt::format("; nearest valid: {}", changes_text(completed.changes))));
}

}  // namespace kerlab::spec
