#include "spec/dtype_rule.h"

#include <fmt/format.h>

#include <algorithm>

namespace kerlab::spec {
namespace {

DType read_name(const std::string& key, const SourceLocation& key_where, const TomlValue& value) {
  if (value.kind == TomlValue::Kind::table && !value.keys.empty())
    throw SpecError(key_where, fmt::format("a key with a dot stands in quotes: \"{}.{}\"", key, value.keys.front()));
  if (value.kind != TomlValue::Kind::string) throw SpecError(value.where, "expected the name of a dtype");
  const auto dtype = parse_dtype(value.text);
  if (!dtype)
    throw SpecError(value.where,
                    fmt::format("unknown dtype '{}'{}", value.text, suggestion(value.text, dtype_names())));
  return *dtype;
}

std::vector<std::string> flag_values(const std::vector<Flag>& flags) {
  std::vector<std::string> names;
  for (const Flag& flag : flags)
    for (const std::string& value : flag.values) names.push_back(flag.name + "." + value);
  return names;
}

std::string flag_of(const std::string& key) {
  return key.substr(0, key.find('.'));
}

/// A key with a dot names a flag's value, another one a dtype of the problem.
void read_entry(const std::string& key, const SourceLocation& where, DType dtype, const std::vector<Flag>& flags,
                DTypeRule& rule) {
  if (key.find('.') == std::string::npos) {
    const auto of_problem = parse_dtype(key);
    if (!of_problem) throw SpecError(where, fmt::format("unknown dtype '{}'{}", key, suggestion(key, dtype_names())));
    rule.for_problem[*of_problem] = dtype;
    return;
  }
  const std::vector<std::string> known = flag_values(flags);
  if (std::find(known.begin(), known.end(), key) == known.end())
    throw SpecError(where, fmt::format("'{}' is no flag.value of the family{}", key, suggestion(key, known)));
  if (!rule.for_flag.empty() && flag_of(rule.for_flag.begin()->first) != flag_of(key))
    throw SpecError(where,
                    fmt::format("'{}' and '{}': only one flag may decide a dtype", rule.for_flag.begin()->first, key));
  rule.for_flag[key] = dtype;
}

}  // namespace

DType DTypeRule::of(const Problem& problem) const {
  for (const auto& [value, dtype] : for_flag)
    if (problem.environment.at(value) != 0) return dtype;
  const auto of_problem = for_problem.find(problem.dtype);
  return of_problem != for_problem.end() ? of_problem->second : otherwise.value_or(problem.dtype);
}

DTypeRule read_dtype_rule(const SpecTable& table, const std::vector<Flag>& flags) {
  DTypeRule rule;
  const TomlValue* value = table.find("dtype");
  if (value == nullptr || value->kind != TomlValue::Kind::table) {
    rule.otherwise = table.dtype("dtype");
    return rule;
  }
  for (std::size_t i = 0; i < value->keys.size(); ++i)
    read_entry(value->keys[i], value->key_where[i], read_name(value->keys[i], value->key_where[i], value->items[i]),
               flags, rule);
  return rule;
}

}  // namespace kerlab::spec
