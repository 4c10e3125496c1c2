#pragma once
// Tells text that toml++ 3.3 (Debian 12) mishandles, before it sees it. Everybody who calls toml++ asks here first.

#include <optional>
#include <string>
#include <string_view>

namespace kerlab {

struct TomlRefusal {
  int line = 1, column = 1;
  std::string what;
};

/// Refuses: lines so long that nesting in them could exhaust the stack; "[" without a key (toml++ assumes one,
/// undefined behaviour in release builds); "}" as a value of a list (the same); characters beyond ASCII outside
/// comments and one-line strings (its search for exotic white space runs into an unreachable point). None: toml++ may
/// have it.
std::optional<TomlRefusal> refused_toml(std::string_view text);

/// Throws Error (file:line:column) where it is refused.
void guard_toml(std::string_view text, const std::string& file);

}  // namespace kerlab
