#include "spec/parameter_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace kerlab::spec {
namespace {

using Kind = TomlValue::Kind;

const std::vector<std::string> kBooleans = {"false", "true"};

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string_view value_kind(Kind kind) {
  if (kind == Kind::integer) return "an integer";
  if (kind == Kind::boolean) return "a boolean";
  return kind == Kind::string ? "a string" : "something else";
}

/// The value as it is written on a command line; empty: it is none.
std::string word_of(const TomlValue& value) {
  if (value.kind == Kind::boolean) return value.boolean ? "true" : "false";
  if (value.kind == Kind::integer) return std::to_string(value.integer);
  return value.kind == Kind::string && is_identifier(value.text) ? value.text : "";
}

void add_value(const TomlValue& value, Kind kind, const SpecTable& row, Parameter& parameter) {
  const std::string word = word_of(value);
  SourceLocation where = value.where;
  where.context = fmt::format("'values' of parameter '{}'", parameter.name);
  if (value.kind != kind)
    throw SpecError(where, fmt::format("expected {}, not {}", value_kind(kind), value_kind(value.kind)));
  if (word.empty())
    throw SpecError(where, fmt::format("'{}': an integer, true or false, or a name: a letter or _, then letters, "
                                       "digits, _",
                                       value.text));
  std::int64_t code = kind == Kind::boolean ? (value.boolean ? 1 : 0) : value.integer;
  if (kind == Kind::string) {
    const auto same = [&](const std::string& other) { return upper(other) == upper(word); };
    const auto other = std::ranges::find_if(parameter.words, same);
    if (other != parameter.words.end() && *other != word)
      throw SpecError(where,
                      fmt::format("{} and {} would be one macro, {}_{}", *other, word, parameter.name, upper(word)));
    code = other - parameter.words.begin();
    if (other == parameter.words.end()) parameter.words.push_back(word);
  }
  if (std::ranges::count(parameter.values, code) > 0) row.fail("values", word + " is listed twice");
  parameter.values.push_back(code);
}

}  // namespace

void read_values(const SpecTable& row, Parameter& parameter) {
  const TomlValue* const values = row.find("values");
  if (values == nullptr || values->kind != Kind::array) (void)row.integers("values");  // says what is wrong
  if (values == nullptr || values->items.empty()) row.fail("values", "empty list of values");
  const Kind kind = values->items.front().kind;
  if (kind == Kind::boolean) parameter.words = kBooleans;
  for (const TomlValue& value : values->items) add_value(value, kind, row, parameter);
  parameter.default_value = parameter.values.front();
  const TomlValue* const chosen = row.find("default");
  if (chosen == nullptr) return;
  const auto code = chosen->kind == kind ? parse_value(parameter, word_of(*chosen)) : std::nullopt;
  if (!code || std::ranges::count(parameter.values, *code) == 0)
    row.fail("default",
             fmt::format("{} is not one of {}", chosen->kind == Kind::string ? chosen->text : word_of(*chosen),
                         listed_values(parameter)));
  parameter.default_value = *code;
}

bool is_named(const Parameter& parameter) {
  return !parameter.words.empty() && parameter.words != kBooleans;
}

bool holds_dtypes(const std::vector<std::string>& words) {
  return !words.empty() && std::ranges::all_of(words, [](const auto& word) { return parse_dtype(word).has_value(); });
}

std::vector<Derived> named_values(const Parameter& parameter) {
  std::vector<Derived> derived;
  if (!is_named(parameter)) return derived;
  const auto add = [&](const std::string& property, const std::string& text) {
    derived.push_back({parameter.name + "." + property, Expression::parse(text, parameter.where), parameter.where});
  };
  for (std::size_t i = 0; i < parameter.words.size(); ++i)
    add(parameter.words[i], fmt::format("{} == {}", parameter.name, i));
  if (!holds_dtypes(parameter.words)) return derived;
  std::string bytes = "0";
  for (std::size_t i = 0; i < parameter.words.size(); ++i)
    bytes = fmt::format("{} == {} ? {} : {}", parameter.name, i, info(*parse_dtype(parameter.words[i])).bytes, bytes);
  add("bytes", bytes);
  return derived;
}

std::vector<std::string> value_defines(const Parameter& parameter, std::int64_t value) {
  if (!is_named(parameter)) return {fmt::format("-D{}={}", parameter.name, value)};
  const std::string& word = parameter.words.at(static_cast<std::size_t>(value));
  std::vector<std::string> defines = {fmt::format("-D{}_{}=1", parameter.name, upper(word))};
  if (!holds_dtypes(parameter.words)) {
    defines.insert(defines.begin(), fmt::format("-D{}={}", parameter.name, word));
    return defines;
  }
  const DTypeInfo& dtype = info(*parse_dtype(word));
  defines.insert(defines.begin(), fmt::format("-D{}={}", parameter.name, dtype.device_type));
  defines.push_back(fmt::format("-D{}_BYTES={}", parameter.name, dtype.bytes));
  return defines;
}

std::string value_text(const Parameter& parameter, std::int64_t value) {
  const auto index = static_cast<std::size_t>(value);
  return value >= 0 && index < parameter.words.size() ? parameter.words[index] : std::to_string(value);
}

std::string listed_values(const Parameter& parameter) {
  std::string text;
  for (const std::int64_t value : parameter.values) text += (text.empty() ? "" : ", ") + value_text(parameter, value);
  return text;
}

std::optional<std::int64_t> parse_value(const Parameter& parameter, std::string_view text) {
  const auto word = std::ranges::find(parameter.words, text);
  if (word != parameter.words.end()) return word - parameter.words.begin();
  if (is_named(parameter)) return std::nullopt;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace kerlab::spec
