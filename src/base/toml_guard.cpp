#include "base/toml_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "base/error.h"

namespace kerlab {
namespace {

constexpr std::size_t kMaximumLine = 4096;
constexpr std::size_t kMaximumFile = std::size_t{1} << 20;

/// Follows strings and comments, nothing else. Where the text is no TOML it may lose its way, but toml++ stops there.
class Guard {
 public:
  explicit Guard(std::string_view text) : text_(text) {}

  void run() {
    if (text_.size() > kMaximumFile) fail("larger than 1 MiB: not a spec");
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    line_start_ = at_;
    check_line();
    while (at_ < text_.size()) {
      if (at_ == line_start_) check_header();
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("\"\"\"") || rest.starts_with("'''"))
        long_string(rest.substr(0, 3));
      else if (rest[0] == '"' || rest[0] == '\'')
        short_string(rest[0]);
      else if (rest[0] == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        bracket();
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw TomlRefusal{line_, static_cast<int>(at_ - line_start_) + 1, what};
  }

  /// Over one character of ASCII.
  void step(const char* place) {
    if (static_cast<unsigned char>(text_[at_]) >= 0x80) fail(fmt::format("character beyond ASCII {}", place));
    if (text_[at_++] != '\n') return;
    ++line_;
    line_start_ = at_;
    check_line();
  }

  void check_line() const {
    if (std::min(text_.find('\n', line_start_), text_.size()) - line_start_ > kMaximumLine)
      fail(fmt::format("line longer than {} bytes", kMaximumLine));
  }

  /// At the start of a line outside strings: after "[" or "[[" comes a key (or, in a list of lists, a value).
  void check_header() {
    const std::size_t start = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    if (start == text_.size() || text_[start] != '[') return;
    at_ =
        std::min(text_.find_first_not_of(" \t", start + (text_.substr(start).starts_with("[[") ? 2 : 1)), text_.size());
    const bool key = at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                            std::string_view("_-\"']").find(text_[at_]) != std::string_view::npos);
    if (!key) fail("expected a key after '['");
  }

  /// A "}" where a value of a list is expected is a failed assertion of toml++.
  void bracket() {
    const char c = text_[at_];
    if (c == '[' || c == '{') open_ += c;
    if (c == '}' && open_.ends_with('[')) fail("'}' in a list: it has no '{'");
    if ((c == '}' || c == ']') && !open_.empty() && open_.back() == (c == '}' ? '{' : '[')) open_.pop_back();
    step("outside strings and comments");
  }

  void short_string(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return;
      }
    }
  }

  void long_string(std::string_view quotes) {
    at_ += 3;
    while (at_ < text_.size() && !text_.substr(at_).starts_with(quotes)) {
      if (quotes[0] == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      step("in a string of several lines");
    }
    // Up to two more quotes belong to the string.
    while (at_ < text_.size() && text_[at_] == quotes[0]) ++at_;
  }

  std::string_view text_;
  std::string open_;  ///< brackets of values that are not closed yet
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

std::optional<TomlRefusal> refused_toml(std::string_view text) {
  try {
    Guard(text).run();
    return std::nullopt;
  } catch (const TomlRefusal& refusal) {
    return refusal;
  }
}

void guard_toml(std::string_view text, const std::string& file) {
  if (const auto refusal = refused_toml(text))
    throw Error(fmt::format("{}:{}:{}: {}", file, refusal->line, refusal->column, refusal->what));
}

}  // namespace kerlab
