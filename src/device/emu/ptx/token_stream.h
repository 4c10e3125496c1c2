#pragma once
// A position in the tokens of a text, and what every part of the parser does there.

#include <cstdint>
#include <string>
#include <vector>

#include "device/emu/ptx/lexer.h"

namespace kerlab::ptx {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : tokens_.back();
  }
  /// The token read last.
  [[nodiscard]] const Token& peek_back() const { return tokens_[at_ > 0 ? at_ - 1 : 0]; }
  const Token& next() {
    const Token& token = peek();
    if (token.kind != TokenKind::end) ++at_;
    return token;
  }
  template <typename What>
  bool accept(What what) {
    if (!peek().is(what)) return false;
    ++at_;
    return true;
  }
  void expect(char c);
  std::string_view expect_word(std::string_view what);
  /// An optionally signed integer.
  std::int64_t expect_integer(std::string_view what);
  /// The same, within [least, most].
  std::int64_t expect_integer(std::string_view what, std::int64_t least, std::int64_t most);

  [[nodiscard]] std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }
  [[nodiscard]] bool at_end() const { return peek().kind == TokenKind::end; }
  /// From before "{" to after its "}".
  void skip_braces();
  void skip_past(char c);

  [[noreturn]] void fail(const std::string& message) const;         ///< Error at the next token
  [[noreturn]] void unsupported(const std::string& message) const;  ///< Unsupported at the next token
  /// "'x'", or "the end of the text".
  [[nodiscard]] std::string shown() const;

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace kerlab::ptx
