#include <fmt/format.h>

#include <algorithm>

#include "spec/space/completed_configuration.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {
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
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", variant.parameters[i].name,
                        value_text(variant.parameters[i], configuration.values.at(i)));
  return text;
}

Configuration default_configuration(const Variant& variant) {
  Configuration configuration;
  for (const Parameter& parameter : variant.parameters) configuration.values.push_back(parameter.default_value);
  return configuration;
}

Configuration parse_configuration(const Variant& variant, const std::string& text, std::vector<bool>& named) {
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
    const std::string_view typed = item.substr(equals + 1);
    const Parameter& parameter = variant.parameters[index];
    const auto value = parse_value(parameter, typed);
    if (!value)
      throw UsageError(parameter.words.empty()
                           ? fmt::format("'{}': '{}' is not an integer", item, typed)
                           : fmt::format("'{}': '{}' is not one of {}", item, typed, listed_values(parameter)));
    if (named[index]) throw UsageError(fmt::format("parameter '{}' is given twice", item.substr(0, equals)));
    named[index] = true;
    configuration.values[index] = *value;
  }
  return configuration;
}

Configuration parse_configuration(const Variant& variant, const std::string& text) {
  std::vector<bool> named;
  return parse_configuration(variant, text, named);
}

}  // namespace kerlab::spec
