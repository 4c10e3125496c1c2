#pragma once
// JSON values for `--json`, and records as such. What every document looks like is in docs/json.md.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "trial/trial.h"

namespace kerlab::report {

/// Grows by one when a key goes away or changes its meaning; new keys alone do not count.
inline constexpr int kJsonSchemaVersion = 2;

/// One JSON value. Objects keep the order in which keys were added.
class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  using Object = std::vector<std::pair<std::string, JsonValue>>;
  using Variant = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object>;

  JsonValue() : value_(nullptr) {}
  JsonValue(std::nullptr_t) : value_(nullptr) {}
  JsonValue(bool value) : value_(value) {}
  template <std::integral Integer>
  JsonValue(Integer value) : value_(static_cast<std::int64_t>(value)) {}
  JsonValue(double value) : value_(value) {}
  JsonValue(const char* value) : value_(std::string(value)) {}
  JsonValue(std::string_view value) : value_(std::string(value)) {}
  JsonValue(std::string value) : value_(std::move(value)) {}
  JsonValue(Array value) : value_(std::move(value)) {}
  /// The word of an enum that has them.
  template <typename Enum>
  requires std::is_enum_v<Enum> JsonValue(Enum value) : value_(std::string(name(value))) {}
  JsonValue(Object value) : value_(std::move(value)) {}
  /// An array of anything that is a value.
  template <typename Element>
  JsonValue(const std::vector<Element>& elements) : value_(Array(elements.begin(), elements.end())) {}
  /// Null when there is none.
  template <typename Value>
  JsonValue(const std::optional<Value>& value) : JsonValue(value ? JsonValue(*value) : JsonValue()) {}

  [[nodiscard]] const Variant& variant() const { return value_; }
  /// The value of a key of an object; nullptr when there is none, or when this is no object.
  [[nodiscard]] const JsonValue* find(std::string_view key) const;
  /// The elements of an array; none when this is no array.
  [[nodiscard]] const Array& elements() const;
  /// As a text to show: strings as they are, everything else as JSON.
  [[nodiscard]] std::string text() const;

 private:
  Variant value_;
};

/// Doubles round-trip; those that are not finite become null; bytes that are not UTF-8 become U+FFFD.
std::string to_json(const JsonValue& value, bool indented = true);
/// nullopt when `text` is not JSON.
std::optional<JsonValue> parse_json(std::string_view text);

/// The object that a command prints: schema_version and command first, then `body`.
JsonValue json_document(std::string_view command, JsonValue::Object body);

/// Records: "id", then their columns. A trial's check_detail is a value, not a text.
JsonValue to_value(const Trial& trial);
JsonValue to_value(const Measurement& measurement);
JsonValue to_value(const Decision& decision);
JsonValue to_value(const LibraryTime& time);
/// A list of records.
template <typename Record>
JsonValue to_values(const std::vector<Record>& records) {
  JsonValue::Array values;
  for (const Record& record : records) values.push_back(to_value(record));
  return values;
}

}  // namespace kerlab::report
