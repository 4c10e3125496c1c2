#pragma once
// A line on standard error that stays.

#include <string_view>

namespace kerlab {

/// Prints a line there, above the progress line if one is drawn: never glued to it.
void print_notice(std::string_view line);

}  // namespace kerlab
