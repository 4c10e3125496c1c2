#pragma once
// Text as TOML writes it.

#include <string>

namespace kerlab {

/// In quotes, as a basic string.
std::string toml_string(const std::string& text);

}  // namespace kerlab
