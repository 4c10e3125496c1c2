#pragma once
// Records to the JSON lines of export and import, and back. Only for those two files.

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "db/rows.h"

namespace kerlab::db::text_rows {

using Json = nlohmann::ordered_json;

inline constexpr const char* kFormat = "kerlab-db";
inline constexpr int kVersion = 1;

/// Columns that came after the first format: left out while empty, so that a row is the same text, and has the same
/// key, as an older kerlab wrote.
inline bool was_added(std::string_view column) {
  return column == "shared_with" || column == "conditions" || column == "accuracy" || column == "reason" ||
         column == "purpose";
}

/// Members of a record to an object.
struct Writer {
  Json& object;

  void operator()(std::string_view column, const auto& value) { object[std::string(column)] = value; }
  void operator()(std::string_view column, const std::string& value) {
    if (!value.empty() || !was_added(column)) object[std::string(column)] = value;
  }
  void operator()(std::string_view column, const ColumnWord auto& value) { (*this)(column, word_text(value)); }
  void operator()(std::string_view column, double value) {
    if (std::isfinite(value)) {
      object[std::string(column)] = value;
    } else {  // JSON has no infinity
      object[std::string(column)] = value > 0 ? "inf" : "-inf";
    }
  }
};

/// Members of an object to a record. The library's exception names a column that is missing or of another type.
struct Parser {
  const Json& object;

  void operator()(std::string_view column, auto& value) {
    if (was_added(column) && !object.contains(column)) return;
    object.at(std::string(column)).get_to(value);
  }
  void operator()(std::string_view column, double& value) {
    const Json& number = object.at(std::string(column));
    if (number.is_string()) {
      value = number == "-inf" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    } else {
      number.get_to(value);
    }
  }
  template <ColumnWord Word>
  void operator()(std::string_view column, Word& value) {
    std::string text;
    (*this)(column, text);
    const std::optional<Word> word = kParse<Word>(text);
    if (word) value = *word;
    if (!word) throw Error(fmt::format("unknown {} '{}'", column, text));
  }
};

template <typename Record>
Json to_json(const Record& record) {
  Json object{{"row", rows::kTable<Record>}};
  columns(record, Writer{object});
  return object;
}

template <typename Record>
Record from_json(const Json& object) {
  Record record;
  columns(record, Parser{object});
  return record;
}

/// One line; text that is not UTF-8 (a compiler's log) is mended.
inline std::string line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

inline std::string to_hex(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(byte));
  return text;
}

inline std::vector<std::byte> from_hex(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (text.size() % 2 != 0 || text.find_first_not_of(kDigits) != std::string::npos)
    throw Error("bytes are pairs of hexadecimal digits");
  std::vector<std::byte> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(16 * kDigits.find(text[2 * i]) + kDigits.find(text[2 * i + 1]));
  return bytes;
}

/// Process numbers mean nothing elsewhere: of "hostname pid starttime" only the name is shared.
inline std::string host_name(const std::string& host) {
  return host.substr(0, host.find(' '));
}

/// What rows without a key of their own are known by in the text.
inline std::string session_key(const SessionRecord& session) {
  return FieldHasher()
      .field("command", session.command)
      .field("version", session.version)
      .field("host", host_name(session.host))
      .field("device", session.device)
      .field("created", session.created)
      .hex();
}

inline std::string measurement_key(Measurement measurement, const std::string& trial, const std::string& session) {
  measurement.trial = measurement.session = 0;
  return FieldHasher()
      .field("trial", trial)
      .field("session", session)
      .field("content", line(to_json(measurement)))
      .hex();
}

}  // namespace kerlab::db::text_rows
