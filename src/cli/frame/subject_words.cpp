#include "cli/frame/subject_words.h"

#include <fmt/ranges.h>

namespace kerlab::cli {

std::string with_values(const std::string& configuration, const std::vector<std::string>& values) {
  std::string text = configuration;
  for (const std::string& value : values) {
    if (value.find('=') == std::string::npos)
      throw UsageError(fmt::format("'{}' is not NAME=VALUE of the configuration", value));
    text += (text.empty() ? "" : ",") + value;
  }
  return text;
}

SubjectName subject_of_words(const std::vector<std::string>& words, const std::string& configuration) {
  SubjectName name = parse_subject(words.front());
  std::vector<std::string> values{words.begin() + 1, words.end()};
  for (const std::string& value : values)
    if (value.find('=') == std::string::npos)
      throw UsageError(fmt::format("'{}' is not NAME=VALUE of the configuration", value));
  if (!name.configuration.empty()) values.insert(values.begin(), name.configuration);
  if (!configuration.empty()) values.push_back(configuration);
  if (name.trial > 0 && !values.empty())
    throw UsageError(fmt::format("trial {}: an id says it all; a configuration goes with FAMILY/VARIANT", name.trial));
  name.configuration = fmt::format("{}", fmt::join(values, ","));
  return name;
}

}  // namespace kerlab::cli
