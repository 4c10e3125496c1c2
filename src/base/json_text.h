#pragma once
// Strings of JSON that kerlab writes where no document is built (RFC 8259, section 7).

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kerlab {

/// One character as it stands in a string.
inline std::string json_character(char c) {
  switch (c) {
    case '"':
    case '\\':
      return {'\\', c};
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    default:
      return static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\u{:04x}", static_cast<int>(c)) : std::string(1, c);
  }
}

/// In quotes.
inline std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result += json_character(c);
  return result + "\"";
}

}  // namespace kerlab
