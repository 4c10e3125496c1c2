#include "report/text/configuration_columns.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace kerlab::report {

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

Values values_of(const std::string& configuration) {
  Values values;
  std::istringstream words(configuration);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) values.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return values;
}

std::string value_in(const Values& values, const std::string& name) {
  const auto found = std::ranges::find(values, name, &Values::value_type::first);
  return found == values.end() ? "" : found->second;
}

/// All names, those of the first row first, each variant's in its own order.
std::vector<std::string> all_names(const std::vector<Values>& rows) {
  std::vector<std::string> names;
  for (const Values& values : rows)
    for (const auto& [name, value] : values)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

/// What the rows have that have it at all.
std::set<std::string> values_of_name(const std::vector<Values>& rows, const std::string& name) {
  std::set<std::string> found;
  for (const Values& values : rows)
    if (const std::string value = value_in(values, name); !value.empty()) found.insert(value);
  return found;
}

/// The value of most rows; of several the first seen.
std::string usual_value(const std::vector<Values>& rows, const std::string& name) {
  std::map<std::string, int> count;
  for (const Values& values : rows)
    if (const std::string value = value_in(values, name); !value.empty()) ++count[value];
  std::string usual;
  for (const Values& values : rows)
    if (const std::string value = value_in(values, name);
        !value.empty() && (usual.empty() || count[value] > count[usual]))
      usual = value;
  return usual;
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

ConfigurationColumns configuration_columns(const std::vector<NamedConfiguration>& rows) {
  ConfigurationColumns columns;
  std::vector<Values> values;
  std::set<std::string> variants;
  for (const NamedConfiguration& row : rows) {
    values.push_back(values_of(row.configuration));
    variants.insert(row.variant);
  }
  columns.variants_differ = variants.size() > 1;
  for (const std::string& name : all_names(values)) {
    const std::set<std::string> found = values_of_name(values, name);
    if (found.size() > 1) {
      columns.names.push_back(name);
      columns.usual.push_back(usual_value(values, name));
      continue;
    }
    std::set<std::string> owners;
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (!value_in(values[r], name).empty()) owners.insert(rows[r].variant);
    const std::string whose = owners == variants ? "all" : joined(owners);
    auto group = std::ranges::find(columns.common, whose, &std::pair<std::string, std::string>::first);
    if (group == columns.common.end()) group = columns.common.insert(group, {whose, ""});
    group->second += (group->second.empty() ? "" : " ") + name + "=" + *found.begin();
  }
  for (const Values& row : values) {
    columns.cells.emplace_back();
    for (const std::string& name : columns.names) columns.cells.back().push_back(value_in(row, name));
  }
  return columns;
}

std::vector<std::size_t> most_telling(const ConfigurationColumns& columns) {
  const auto away = [&](std::size_t name) {
    return std::ranges::count_if(columns.cells, [&](const std::vector<std::string>& row) {
      return !row[name].empty() && row[name] != columns.usual[name];
    });
  };
  std::vector<std::size_t> order(columns.names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), away);
  return order;
}

}  // namespace kerlab::report
