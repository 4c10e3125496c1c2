#pragma once
// Refuses text that toml++ 3.3 (Debian 12) mishandles, before it sees it.

#include <string>
#include <string_view>

namespace kerlab {

/// Throws SpecError for: lines so long that nesting in them could exhaust the stack; "[" without a key (toml++ assumes
/// one, undefined behaviour in release builds); "}" as a value of a list (the same); characters beyond ASCII outside
/// comments and one-line strings (its search for exotic white space runs into an unreachable point).
void guard_toml(std::string_view text, const std::string& file);

}  // namespace kerlab
