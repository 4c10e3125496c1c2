#include "compile/colliding_macro.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace kerlab::compile {
namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether a word before a name makes it a declaration: of a variable, a member, a parameter, a type.
bool declares(std::string_view word) {
  constexpr std::array<std::string_view, 18> kWords = {"int",    "unsigned", "float",  "double", "bool",     "char",
                                                       "short",  "long",     "size_t", "auto",   "half",     "__half",
                                                       "struct", "class",    "enum",   "define", "typename", "uint"};
  return std::ranges::find(kWords, word) != kWords.end() || word.ends_with("_t");
}

/// The word that ends before `at`; none where something else stands there.
std::string_view word_before(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  std::size_t first = at;
  while (first > 0 && is_of_name(text[first - 1])) --first;
  return text.substr(first, at - first);
}

bool in_comment(std::string_view text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at) + 1;
  return text.substr(line, at - line).find("//") != std::string_view::npos;
}

/// The line of a declaration of `name`; 0: none.
std::ptrdiff_t declaration_of(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool whole = (at == 0 || !is_of_name(text[at - 1])) &&
                       (at + name.size() == text.size() || !is_of_name(text[at + name.size()]));
    if (whole && declares(word_before(text, at)) && !in_comment(text, at))
      return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  }
  return 0;
}

}  // namespace

std::string collision_hint(const CompileRequest& request) {
  for (const std::string& option : request.options) {
    const std::size_t equals = option.find('=');
    if (!option.starts_with("-D") || equals == std::string::npos) continue;
    const std::string name = option.substr(2, equals - 2);
    if (name.starts_with("DTYPE") || name.starts_with("KERLAB_")) continue;  // sources of kerlab's own
    if (const std::ptrdiff_t line = declaration_of(request.source.text, name); line > 0)
      return fmt::format(
          "\n  {} is a macro here ({}), and {}:{} declares something of that name: `define = false` at the parameter "
          "or derived value keeps it to the spec, or name one of the two otherwise",
          name, option.substr(2), request.source.path, line);
  }
  return "";
}

}  // namespace kerlab::compile
