#pragma once
// String literals of C++ that kerlab writes.

#include <string>
#include <string_view>

namespace kerlab {

/// In quotes; control characters become spaces.
inline std::string cpp_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + "\"";
}

}  // namespace kerlab
