#pragma once
// A TOML file as plain data with locations. The only door to toml++ (which costs seconds per translation unit).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expression/expression.h"

namespace kerlab::spec {

struct TomlValue {
  enum class Kind : std::uint8_t { table, array, string, integer, floating, boolean, date };
  Kind kind = Kind::table;
  SourceLocation where;       ///< of the value
  std::string text;           ///< string
  SourceLocation text_where;  ///< of the string's first character, inside the quotes
  std::int64_t integer = 0;
  double floating = 0;
  bool boolean = false;
  std::vector<TomlValue> items;   ///< of an array or a table
  std::vector<std::string> keys;  ///< of a table: one for each item, sorted
  std::vector<SourceLocation> key_where;
};

/// `file` is only named in errors. Throws SpecError.
TomlValue parse_toml(std::string_view text, const std::string& file);

}  // namespace kerlab::spec
