#pragma once
// Lists that are written in one text.

#include <string>
#include <string_view>
#include <vector>

namespace kerlab {

/// The parts between `separator`, empty ones included: "a,,b" has three, "" has one.
std::vector<std::string> split(std::string_view text, char separator);
/// The lines, without their ends; of a last one that has none too.
std::vector<std::string_view> split_lines(std::string_view text);
/// The words between spaces, tabs and line ends.
std::vector<std::string> words_of(std::string_view text);

}  // namespace kerlab
