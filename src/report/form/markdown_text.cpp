#include "report/form/markdown_text.h"

#include <fmt/format.h>

#include <cctype>

namespace kerlab::report {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Whether the character at `i` may be read as markup. '@' would call people, '#' an issue; inside a word '_' is none,
/// and brackets are none without what makes a link of them.
bool is_markup(std::string_view text, std::size_t i) {
  const char next = i + 1 < text.size() ? text[i + 1] : ' ', before = i > 0 ? text[i - 1] : ' ';
  switch (text[i]) {
    case '_':
      return !is_word(before) || !is_word(next);
    case ']':
      return std::string_view("([:").find(next) != std::string_view::npos;
    case '#':
      return is_word(next);
    default:
      return std::string_view("<>&`*~@\\").find(text[i]) != std::string_view::npos;
  }
}

}  // namespace

std::string plain_markdown(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_markup(text, i))
      result += fmt::format("&#{};", static_cast<int>(text[i]));
    else
      result += text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
  }
  return result;
}

}  // namespace kerlab::report
