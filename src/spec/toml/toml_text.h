#pragma once
// Text as TOML writes it.

#include <string>

#include "base/modules.h"

namespace kerlab::spec {

/// In quotes, as a basic string.
std::string toml_string(const std::string& text);

}  // namespace kerlab::spec
