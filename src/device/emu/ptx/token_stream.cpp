#include "device/emu/ptx/token_stream.h"

#include <fmt/core.h>

#include "device/emu/ptx/literal.h"

namespace kerlab::ptx {

void TokenStream::expect(char c) {
  if (!accept(c)) fail(fmt::format("'{}' expected, {} found", c, shown()));
}

std::string_view TokenStream::expect_word(std::string_view what) {
  if (peek().kind != TokenKind::word) fail(fmt::format("{} expected, {} found", what, shown()));
  return next().text;
}

std::int64_t TokenStream::expect_integer(std::string_view what) {
  accept('+');  // "[%rd1+-8]" has both signs
  const bool negative = accept('-');
  if (peek().kind != TokenKind::number) fail(fmt::format("{} expected, {} found", what, shown()));
  const Literal value = literal(peek());
  if (value.kind != Literal::Kind::integer) fail(fmt::format("{} expected, {} found", what, shown()));
  next();
  return static_cast<std::int64_t>(negative ? 0 - value.bits : value.bits);
}

std::int64_t TokenStream::expect_integer(std::string_view what, std::int64_t least, std::int64_t most) {
  const Token& token = peek();
  const std::int64_t value = expect_integer(what);
  if (value < least || value > most) {
    throw Error(at_line(token.line, fmt::format("{} {} is not within {} to {}", what, value, least, most)));
  }
  return value;
}

void TokenStream::skip_braces() {
  expect('{');
  for (std::int64_t depth = 1; depth > 0;) {
    const Token& token = peek();
    if (token.kind == TokenKind::end) fail("'}' expected, the end of the text found");
    depth += token.is('{') ? 1 : token.is('}') ? -1 : 0;
    next();
  }
}

void TokenStream::skip_past(char c) {
  while (!accept(c)) {
    if (at_end()) fail(fmt::format("'{}' expected, the end of the text found", c));
    next();
  }
}

void TokenStream::fail(const std::string& message) const {
  throw Error(at_line(peek().line, message));
}

void TokenStream::unsupported(const std::string& message) const {
  throw Unsupported(at_line(peek().line, message));
}

std::string TokenStream::shown() const {
  const Token& token = peek();
  if (token.kind == TokenKind::end) return "the end of the text";
  return fmt::format("'{}'", token.text.substr(0, 80));
}

}  // namespace kerlab::ptx
