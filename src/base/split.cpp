#include "base/split.h"

#include <algorithm>

namespace kerlab {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0;;) {
    const std::size_t at = text.find(separator, from);
    parts.emplace_back(text.substr(from, at - from));
    if (at == std::string_view::npos) return parts;
    from = at + 1;
  }
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  std::vector<std::string> words;
  for (std::size_t from = text.find_first_not_of(kSpace); from != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(kSpace, from);
    words.emplace_back(text.substr(from, end - from));
    from = text.find_first_not_of(kSpace, end);
  }
  return words;
}

}  // namespace kerlab
