#pragma once
// Text in XML.

#include <string>
#include <string_view>

#include "base/modules.h"

namespace kerlab::report {

/// Text as it may stand in XML: markup escaped, control characters and broken UTF-8 replaced.
std::string xml_text(std::string_view text);

}  // namespace kerlab::report
