#include "spec/toml/toml_text.h"

#include <fmt/format.h>

namespace kerlab::spec {

std::string toml_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\u{:04x}", byte);
    else
      result += c;
  }
  return result + "\"";
}

}  // namespace kerlab::spec
