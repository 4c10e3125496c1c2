#include "spec/toml/spec_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/format.h"

namespace kerlab::spec {
namespace {

using Kind = TomlValue::Kind;

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::table:
      return "a table";
    case Kind::array:
      return "a list";
    case Kind::string:
      return "a string";
    case Kind::integer:
      return "an integer";
    case Kind::floating:
      return "a floating-point number";
    case Kind::boolean:
      return "a boolean";
    case Kind::date:
      break;
  }
  return "a date or time";
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto same = [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  std::string near = nearest(word, candidates);
  for (const std::string& candidate : candidates)
    if (near.empty() && equal_but_for_case(word, candidate)) near = candidate;
  return near.empty() ? "" : fmt::format(", did you mean '{}'?", near);
}

SpecTable::SpecTable(const TomlValue& value, std::string what, const std::vector<std::string_view>& keys)
    : value_(value), what_(std::move(what)), where_(value.where) {
  where_.context = what_;
  if (value.kind != Kind::table)
    throw SpecError(where_, fmt::format("expected a table, not {}", kind_name(value.kind)));
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    if (std::find(keys.begin(), keys.end(), value.keys[i]) != keys.end()) continue;
    SourceLocation where = value.key_where[i];
    where.context = what_;
    throw SpecError(where, fmt::format("unknown key '{}'{}", value.keys[i],
                                       suggestion(value.keys[i], std::vector<std::string>(keys.begin(), keys.end()))));
  }
}

SpecTable SpecTable::named(const TomlValue& value, std::string_view kind, const std::vector<std::string_view>& keys,
                           std::string_view name_key) {
  std::string what(kind);
  for (std::size_t i = 0; i < value.keys.size(); ++i)
    if (value.keys[i] == name_key && value.items[i].kind == Kind::string)
      what = fmt::format("{} '{}'", kind, value.items[i].text);
  return SpecTable(value, what, keys);
}

const TomlValue* SpecTable::find(std::string_view key) const {
  const auto place = std::find(value_.keys.begin(), value_.keys.end(), key);
  return place == value_.keys.end() ? nullptr : &value_.items[static_cast<std::size_t>(place - value_.keys.begin())];
}

SourceLocation SpecTable::in_context(const SourceLocation& place, std::string_view key) const {
  SourceLocation where = place;
  where.context = fmt::format("'{}' of {}", key, what_);
  return where;
}

SourceLocation SpecTable::where(std::string_view key) const {
  SourceLocation place = where_;
  if (const TomlValue* value = find(key)) place = value->where;
  place.context = what_;
  return place;
}

void SpecTable::fail(std::string_view key, const std::string& what) const {
  throw SpecError(in_context(where(key), key), what);
}

const TomlValue& SpecTable::require(std::string_view key, Kind kind, std::string_view wanted) const {
  const TomlValue* value = find(key);
  if (value == nullptr) throw SpecError(where_, fmt::format("key '{}' is missing", key));
  if (value->kind != kind) fail(key, fmt::format("expected {}, not {}", wanted, kind_name(value->kind)));
  return *value;
}

std::string SpecTable::text(std::string_view key, std::optional<std::string> fallback) const {
  if (fallback && !has(key)) return *fallback;
  return require(key, Kind::string, "a string").text;
}

std::string SpecTable::identifier(std::string_view key, std::optional<std::string> fallback) const {
  std::string result = text(key, std::move(fallback));
  if (!is_identifier(result)) fail(key, fmt::format("'{}' is not a name (letters, digits and _)", result));
  return result;
}

std::int64_t SpecTable::integer(std::string_view key, std::optional<std::int64_t> fallback) const {
  if (fallback && !has(key)) return *fallback;
  return require(key, Kind::integer, "an integer").integer;
}

double SpecTable::number(std::string_view key, std::optional<double> fallback) const {
  const TomlValue* value = find(key);
  if (fallback && value == nullptr) return *fallback;
  if (value != nullptr && value->kind == Kind::integer) return static_cast<double>(value->integer);
  return require(key, Kind::floating, "a number").floating;
}

bool SpecTable::boolean(std::string_view key, bool fallback) const {
  return has(key) ? require(key, Kind::boolean, "true or false").boolean : fallback;
}

DType SpecTable::to_dtype(std::string_view key, const TomlValue& value) const {
  if (value.kind != Kind::string)
    throw SpecError(in_context(value.where, key), fmt::format("expected a dtype, not {}", kind_name(value.kind)));
  if (const auto dtype = parse_dtype(value.text)) return *dtype;
  throw SpecError(in_context(value.where, key),
                  fmt::format("unknown dtype '{}'{}", value.text, suggestion(value.text, dtype_names())));
}

std::optional<DType> SpecTable::dtype(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_dtype(key, *value);
}

std::size_t SpecTable::choice(std::string_view key, const std::vector<std::string>& choices,
                              std::size_t fallback) const {
  if (!has(key)) return fallback;
  const std::string word = text(key);
  const auto place = std::find(choices.begin(), choices.end(), word);
  if (place == choices.end())
    fail(key, fmt::format("'{}' is not one of {}{}", word, fmt::join(choices, ", "), suggestion(word, choices)));
  return static_cast<std::size_t>(place - choices.begin());
}

Expression SpecTable::to_expression(std::string_view key, const TomlValue& value) const {
  const SourceLocation where = in_context(value.where, key);
  if (value.kind == Kind::integer) return Expression::constant(value.integer, where);
  if (value.kind == Kind::boolean) return Expression::constant(value.boolean ? 1 : 0, where);
  if (value.kind != Kind::string)
    throw SpecError(where, fmt::format("expected an expression or an integer, not {}", kind_name(value.kind)));
  return Expression::parse(value.text, in_context(value.text_where, key));
}

Expression SpecTable::expression(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) throw SpecError(where_, fmt::format("key '{}' is missing", key));
  return to_expression(key, *value);
}

Expression SpecTable::expression_or_empty(std::string_view key) const {
  return has(key) ? expression(key) : Expression();
}

const TomlValue* SpecTable::list(std::string_view key) const {
  return has(key) ? &require(key, Kind::array, "a list") : nullptr;
}

std::vector<Expression> SpecTable::expressions(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Kind::array) return {to_expression(key, *value)};
  std::vector<Expression> result;
  for (const TomlValue& item : value->items) result.push_back(to_expression(key, item));
  return result;
}

std::vector<std::pair<std::string, SourceLocation>> SpecTable::located_texts(std::string_view key,
                                                                             bool integers_too) const {
  std::vector<std::pair<std::string, SourceLocation>> result;
  if (const TomlValue* array = list(key))
    for (const TomlValue& item : array->items) {
      if (integers_too && item.kind == Kind::integer) {
        result.emplace_back(fmt::format("{}", item.integer), in_context(item.where, key));
        continue;
      }
      if (item.kind != Kind::string)
        throw SpecError(in_context(item.where, key), fmt::format("expected a string, not {}", kind_name(item.kind)));
      result.emplace_back(item.text, in_context(item.text_where, key));
    }
  return result;
}

std::vector<std::string> SpecTable::texts(std::string_view key) const {
  std::vector<std::string> result;
  for (auto& [text, where] : located_texts(key)) result.push_back(text);
  return result;
}

std::vector<std::int64_t> SpecTable::integers(std::string_view key) const {
  std::vector<std::int64_t> result;
  if (const TomlValue* array = list(key))
    for (const TomlValue& item : array->items) {
      if (item.kind != Kind::integer)
        throw SpecError(in_context(item.where, key), fmt::format("expected an integer, not {}", kind_name(item.kind)));
      result.push_back(item.integer);
    }
  return result;
}

std::vector<double> SpecTable::numbers(std::string_view key) const {
  std::vector<double> result;
  if (const TomlValue* array = list(key))
    for (const TomlValue& item : array->items) {
      if (item.kind != Kind::integer && item.kind != Kind::floating)
        throw SpecError(in_context(item.where, key), fmt::format("expected a number, not {}", kind_name(item.kind)));
      result.push_back(item.kind == Kind::integer ? static_cast<double>(item.integer) : item.floating);
    }
  return result;
}

std::vector<DType> SpecTable::dtypes(std::string_view key) const {
  std::vector<DType> result;
  if (const TomlValue* array = list(key))
    for (const TomlValue& item : array->items) result.push_back(to_dtype(key, item));
  return result;
}

std::vector<TomlValue> SpecTable::tables(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const bool right = value->kind == Kind::array && std::all_of(value->items.begin(), value->items.end(),
                                                               [](const auto& i) { return i.kind == Kind::table; });
  if (!right) fail(key, fmt::format("write [[{}]]", key));
  return value->items;
}

}  // namespace kerlab::spec
