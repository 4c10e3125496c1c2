#pragma once
// Times as people type them.

#include <optional>
#include <string_view>

namespace kerlab {

/// "30", "30s", "2m", "1.5h", "500ms", also with a space before the unit -> seconds; none: not a time.
std::optional<double> parse_seconds(std::string_view text);

}  // namespace kerlab
