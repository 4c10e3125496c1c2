#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "spec/spec.h"
#include "spec/spec_table.h"

namespace kerlab {
namespace {

std::size_t parameter_index(const Variant& variant, std::string_view word) {
  std::vector<std::string> names;
  for (const Parameter& parameter : variant.parameters) names.push_back(parameter.name);
  const auto place = std::find(names.begin(), names.end(), word);
  if (place == names.end())
    throw UsageError(fmt::format("variant '{}' has no parameter '{}'{} (it has {})", variant.name, word,
                                 suggestion(word, names),
                                 names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  return static_cast<std::size_t>(place - names.begin());
}

}  // namespace

std::string configuration_text(const Variant& variant, const Configuration& configuration) {
  std::string text;
  for (std::size_t i = 0; i < variant.parameters.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", variant.parameters[i].name, configuration.values.at(i));
  return text;
}

Configuration default_configuration(const Variant& variant) {
  Configuration configuration;
  for (const Parameter& parameter : variant.parameters) configuration.values.push_back(parameter.default_value);
  return configuration;
}

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

/// `wanted`, or, where a constraint rejects it, the valid configuration that has the same values where `fixed` says so
/// and differs in the fewest others. Where there is none, `wanted`.
Configuration nearest_valid(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                            const Configuration& wanted, const std::vector<bool>& fixed) {
  if (violated_constraint(variant, problem, device, wanted).empty()) return wanted;
  // Some spaces have millions.
  if (auto near = one_step_away(variant, problem, device, wanted, fixed)) return *near;
  std::vector<Configuration> valid;
  try {
    valid = enumerate(variant, problem, device).valid;
  } catch (const SpecError&) {
    return wanted;  // nothing is valid: the caller will be told when it uses it
  }
  const Configuration* nearest = &wanted;
  std::size_t fewest = wanted.values.size() + 1;
  for (const Configuration& other : valid) {
    std::size_t differences = 0;
    bool allowed = true;
    for (std::size_t p = 0; p < wanted.values.size(); ++p) {
      const bool differs = other.values[p] != wanted.values[p];
      differences += differs ? 1 : 0;
      allowed &= !(differs && fixed[p]);
    }
    if (!allowed || differences >= fewest) continue;
    fewest = differences;
    nearest = &other;
  }
  return *nearest;
}

/// Tells in `named` which parameters the text names.
Configuration parse(const Variant& variant, const std::string& text, std::vector<bool>& named) {
  Configuration configuration = default_configuration(variant);
  named.assign(configuration.values.size(), false);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(", \t", begin), text.size());
    const std::string_view item = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) throw UsageError(fmt::format("'{}' is not NAME=VALUE", item));
    const std::size_t index = parameter_index(variant, item.substr(0, equals));
    const std::string_view digits = item.substr(equals + 1);
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || stop != digits.data() + digits.size())
      throw UsageError(fmt::format("'{}': '{}' is not an integer", item, digits));
    if (named[index]) throw UsageError(fmt::format("parameter '{}' is given twice", item.substr(0, equals)));
    named[index] = true;
    configuration.values[index] = value;
  }
  return configuration;
}

}  // namespace

Configuration default_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  return nearest_valid(variant, problem, device, default_configuration(variant),
                       std::vector<bool>(variant.parameters.size()));
}

Configuration parse_configuration(const Variant& variant, const std::string& text) {
  std::vector<bool> named;
  return parse(variant, text, named);
}

Configuration parse_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                  const std::string& text) {
  std::vector<bool> named;
  const Configuration typed = parse(variant, text, named);
  return nearest_valid(variant, problem, device, typed, named);
}

}  // namespace kerlab
