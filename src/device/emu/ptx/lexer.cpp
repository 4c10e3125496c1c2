#include "device/emu/ptx/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace kerlab::ptx {
namespace {

enum Class : std::uint8_t { other, space, digit, letter, punctuation };

constexpr std::array<Class, 256> classes() {
  std::array<Class, 256> table{};
  for (const char c : std::string_view(" \t\r\n\f\v")) table[static_cast<unsigned char>(c)] = space;
  for (int c = '0'; c <= '9'; ++c) table[c] = digit;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = letter;
  for (const char c : std::string_view("_$%.")) table[static_cast<unsigned char>(c)] = letter;
  for (const char c : std::string_view("{}()[]<>,;:=@!|+-*~&^?/")) table[static_cast<unsigned char>(c)] = punctuation;
  return table;
}
constexpr std::array<Class, 256> kClasses = classes();

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 3 + 1);
    for (;;) {
      skip_space_and_comments();
      if (at_ == text_.size()) break;
      tokens.push_back(next());
    }
    tokens.push_back({std::string_view(), line_, TokenKind::end});
    return tokens;
  }

 private:
  [[nodiscard]] Class class_at(std::size_t at) const {
    return at < text_.size() ? kClasses[static_cast<unsigned char>(text_[at])] : other;
  }
  [[nodiscard]] bool starts(std::string_view with) const { return text_.substr(at_, with.size()) == with; }
  [[noreturn]] void fail(const std::string& message) const { throw Error(at_line(line_, message)); }

  void skip_space_and_comments() {
    for (;;) {
      while (class_at(at_) == space) line_ += text_[at_++] == '\n' ? 1 : 0;
      if (starts("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (starts("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail("the comment does not end");
        for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
      } else {
        return;
      }
    }
  }

  Token next() {
    const std::size_t begin = at_;
    const std::int32_t line = line_;
    switch (class_at(at_)) {
      case letter:
        word();
        return {text_.substr(begin, at_ - begin), line, TokenKind::word};
      case digit:
        number();
        return {text_.substr(begin, at_ - begin), line, TokenKind::number};
      case punctuation:
        return {text_.substr(at_++, 1), line, TokenKind::punctuation};
      default:
        if (text_[at_] == '"') return string();
        fail(fmt::format("character 0x{:02x} does not belong to PTX", static_cast<unsigned char>(text_[at_])));
    }
  }

  // "::" joins a word (L2::cache_hint), ":" ends it (a label). Of ".reg.b32" each directive is a word of its own.
  void word() {
    const bool directive = text_[at_] == '.';
    at_ += 1;
    for (;;) {
      while ((class_at(at_) == letter || class_at(at_) == digit) && !(directive && text_[at_] == '.')) ++at_;
      if (!starts("::") || class_at(at_ + 2) < digit || class_at(at_ + 2) > letter) return;
      at_ += 2;
    }
  }

  void number() {
    const bool decimal = text_[at_] != '0' || class_at(at_ + 1) != letter || text_[at_ + 1] == '.';
    while (class_at(at_) == letter || class_at(at_) == digit) {
      const bool exponent = decimal && (text_[at_] == 'e' || text_[at_] == 'E');
      ++at_;
      if (exponent && at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    }
  }

  Token string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size() || text_[at_] != '"') fail("the string does not end on its line");
    return {text_.substr(begin, at_++ - begin), line_, TokenKind::string};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::int32_t line_ = 1;
};

}  // namespace

std::vector<Token> tokenise(std::string_view text) {
  return Lexer(text).run();
}

std::string at_line(std::int32_t line, std::string_view message) {
  return fmt::format("ptx:{}: {}", line, message);
}

}  // namespace kerlab::ptx
