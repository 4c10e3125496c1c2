#include "report/form/json.h"

#include <nlohmann/json.hpp>

namespace kerlab::report {

namespace {

using Library = nlohmann::ordered_json;

Library to_library(const JsonValue& value);

struct ToLibrary {
  Library operator()(const JsonValue::Array& elements) const {
    Library array = Library::array();
    for (const JsonValue& element : elements) array.push_back(to_library(element));
    return array;
  }
  Library operator()(const JsonValue::Object& members) const {
    Library object = Library::object();
    for (const auto& [key, member] : members) object[key] = to_library(member);
    return object;
  }
  Library operator()(const auto& scalar) const { return scalar; }
};

Library to_library(const JsonValue& value) {
  return std::visit(ToLibrary{}, value.variant());
}

JsonValue from_library(const Library& value) {
  switch (value.type()) {
    case Library::value_t::boolean:
      return value.get<bool>();
    case Library::value_t::number_integer:
    case Library::value_t::number_unsigned:
      return value.get<std::int64_t>();
    case Library::value_t::number_float:
      return value.get<double>();
    case Library::value_t::string:
      return value.get<std::string>();
    case Library::value_t::array: {
      JsonValue::Array elements;
      for (const Library& element : value) elements.push_back(from_library(element));
      return elements;
    }
    case Library::value_t::object: {
      JsonValue::Object members;
      for (const auto& [key, member] : value.items()) members.emplace_back(key, from_library(member));
      return members;
    }
    default:
      return nullptr;
  }
}

/// Members of a record, one after the other.
struct Collector {
  JsonValue::Object object;

  void operator()(std::string_view column, const auto& value) { object.emplace_back(column, value); }
  void operator()(std::string_view column, const DecisionRule& value) { object.emplace_back(column, rule_text(value)); }
};

template <typename Record>
JsonValue::Object collected(const Record& record) {
  Collector collector;
  collector.object.emplace_back("id", record.id);
  columns(record, collector);
  return std::move(collector.object);
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  for (const auto& [name, member] : *object) {
    if (name == key) return &member;
  }
  return nullptr;
}

const JsonValue::Array& JsonValue::elements() const {
  static const Array kNone;
  const auto* array = std::get_if<Array>(&value_);
  return array != nullptr ? *array : kNone;
}

std::string JsonValue::text() const {
  const auto* string = std::get_if<std::string>(&value_);
  return string != nullptr ? *string : to_json(*this, false);
}

std::string to_json(const JsonValue& value, bool indented) {
  return to_library(value).dump(indented ? 2 : -1, ' ', false, Library::error_handler_t::replace);
}

std::optional<JsonValue> parse_json(std::string_view text) {
  const Library value = Library::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return from_library(value);
}

JsonValue json_document(std::string_view command, JsonValue::Object body) {
  JsonValue::Object document{{"schema_version", kJsonSchemaVersion}, {"command", command}};
  for (auto& member : body) document.push_back(std::move(member));
  return document;
}

JsonValue to_value(const Trial& trial) {
  JsonValue::Object object = collected(trial);
  for (auto& [column, value] : object) {
    if (column == "check_detail") value = parse_json(trial.check_detail).value_or(JsonValue());
  }
  return object;
}

JsonValue to_value(const Measurement& measurement) {
  return collected(measurement);
}
JsonValue to_value(const Decision& decision) {
  return collected(decision);
}
JsonValue to_value(const LibraryTime& time) {
  return collected(time);
}

}  // namespace kerlab::report
