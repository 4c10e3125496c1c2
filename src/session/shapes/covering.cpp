#include "session/shapes/covering.h"

#include <fmt/format.h>

#include <algorithm>

namespace kerlab::session {

namespace {

// Of as many configurations the best are taken: a greedy choice among 20,000 needs hardly more than one among all.
constexpr SpaceLimits kLimits = {20'000, 20'000, 1};

/// How many of `wanted` the configuration takes.
std::size_t taken(const Configuration& configuration, const std::set<ParameterValue>& wanted) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < configuration.values.size(); ++p) count += wanted.count({p, configuration.values[p]});
  return count;
}

void take(const Configuration& configuration, std::set<ParameterValue>& wanted, std::vector<Configuration>& chosen) {
  for (std::size_t p = 0; p < configuration.values.size(); ++p) wanted.erase({p, configuration.values[p]});
  chosen.push_back(configuration);
}

/// The one that takes the most; none takes any: nothing.
const Configuration* best(const std::vector<Configuration>& valid, const std::set<ParameterValue>& wanted,
                          const std::set<Configuration>& banned) {
  const Configuration* chosen = nullptr;
  std::size_t most = 0;
  for (const Configuration& configuration : valid) {
    const std::size_t count = taken(configuration, wanted);
    if (count <= most || banned.contains(configuration)) continue;
    most = count;
    chosen = &configuration;
  }
  return chosen;
}

std::vector<Configuration> valid_ones(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  try {
    return enumerate(variant, problem, device, kLimits).valid;
  } catch (const SpecError&) {
    return {};  // a constraint leaves nothing
  }
}

}  // namespace

std::set<ParameterValue> all_values(const Variant& variant) {
  std::set<ParameterValue> values;
  for (std::size_t p = 0; p < variant.parameters.size(); ++p)
    for (const std::int64_t value : variant.parameters[p].values) values.insert({p, value});
  return values;
}

std::string values_text(const Variant& variant, const std::set<ParameterValue>& values) {
  std::string text;
  for (const auto& [parameter, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", variant.parameters[parameter].name,
                        value_text(variant.parameters[parameter], value));
  return text;
}

std::vector<Configuration> cover(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                 std::set<ParameterValue>& wanted, const std::set<Configuration>& banned) {
  std::vector<Configuration> chosen;
  if (wanted.empty() || !unsupported_reason(variant, problem, device).empty()) return chosen;
  const std::vector<Configuration> valid = valid_ones(variant, problem, device);
  while (const Configuration* next = best(valid, wanted, banned)) take(*next, wanted, chosen);
  if (valid.size() < kLimits.sampled) return chosen;
  // Of a sampled space rare values may be missing: those are asked for one by one.
  for (const ParameterValue& value : std::set<ParameterValue>(wanted)) {
    if (!wanted.contains(value)) continue;
    Variant narrowed = variant;
    narrowed.parameters[value.first].values = {value.second};
    const std::vector<Configuration> some = valid_ones(narrowed, problem, device);
    if (const Configuration* next = best(some, wanted, banned)) take(*next, wanted, chosen);
  }
  return chosen;
}

std::vector<Configuration> covering_configurations(const Variant& variant, const Problem& problem,
                                                   const DeviceInfo& device, Configuration first,
                                                   std::set<ParameterValue>& without) {
  without = all_values(variant);
  std::vector<Configuration> chosen;
  take(first, without, chosen);
  for (Configuration& more : cover(variant, problem, device, without)) chosen.push_back(std::move(more));
  return chosen;
}

}  // namespace kerlab::session
