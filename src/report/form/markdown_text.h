#pragma once
// Text in Markdown.

#include <string>
#include <string_view>

#include "base/modules.h"

namespace kerlab::report {

/// A text in which nothing is markup: as entities, which a table does not escape once more.
std::string plain_markdown(std::string_view text);

}  // namespace kerlab::report
