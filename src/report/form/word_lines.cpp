// Text as columns of a terminal see it: how wide it is, where it may be broken, what is left of it when it is cut.

#include <algorithm>
#include <cctype>

#include "report/form/table.h"

namespace kerlab::report {

namespace {

constexpr bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

bool is_number(std::string_view word) {
  while (!word.empty() && std::string_view("~<>+-(").find(word.front()) != std::string_view::npos)
    word.remove_prefix(1);
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
         std::isdigit(static_cast<unsigned char>(word.back())) != 0;
}

/// Where the piece that must stay on one line ends: a word, and a number with the unit or the noun behind it.
std::size_t end_of_piece(std::string_view text, std::size_t begin) {
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  if (!is_number(text.substr(begin, end - begin))) return end;
  const std::size_t next = text.find_first_not_of(' ', end);
  if (next == std::string_view::npos || next != end + 1) return end;
  const std::size_t next_end = std::min(text.find(' ', next), text.size());
  return is_number(text.substr(next, next_end - next)) ? end : next_end;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {  // a colour, as terminal.h writes it
      const std::size_t end = text.find('m', i);
      if (end == std::string_view::npos) break;
      i = end;
    } else if (!continues_character(text[i])) {
      ++width;
    }
  }
  return width;
}

std::string shortened(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  constexpr std::string_view kDots = "...";
  const int keep = std::max(0, width - static_cast<int>(kDots.size()));
  std::size_t end = 0;
  for (int characters = 0; end < text.size(); ++end) {
    if (!continues_character(text[end]) && characters++ == keep) break;
  }
  return std::string(text.substr(0, end)) + std::string(kDots.substr(0, static_cast<std::size_t>(std::max(0, width))));
}

std::vector<std::string> word_lines(std::string_view text, int width) {
  std::vector<std::string> lines(1);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = end_of_piece(text, begin);
    const std::string_view word = text.substr(begin, end - begin);
    const std::string_view before = lines.back().empty() && lines.size() > 1 ? "" : text.substr(at, begin - at);
    if (!lines.back().empty() && display_width(lines.back()) + display_width(before) + display_width(word) > width)
      lines.emplace_back(word);
    else
      lines.back().append(before).append(word);
    at = end;
  }
  return lines;
}

std::string folded(std::string_view text, int width, int indent) {
  if (width <= 0 || display_width(text) <= width) return std::string(text) + "\n";
  std::string result;
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const std::vector<std::string> lines = word_lines(text, width);
  if (lines.size() < 2) return lines.front() + "\n";
  const std::size_t first = lines.front().size();
  result = lines.front() + "\n";
  for (const std::string& line : word_lines(text.substr(text.find_first_not_of(' ', first)), width - indent))
    result += margin + line + "\n";
  return result;
}

std::string whole_parts(const std::vector<std::string>& parts, int width) {
  std::string line, lines;
  for (const std::string& part : parts) {
    line += (line.empty() ? "" : "   ") + part;
    lines += part + "\n";
  }
  return width > 0 && display_width(line) > width ? lines : line + "\n";
}

}  // namespace kerlab::report
