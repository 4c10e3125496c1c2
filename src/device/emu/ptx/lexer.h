#pragma once
// PTX text -> tokens.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

enum class TokenKind : std::uint8_t { word, number, string, punctuation, end };

/// A word is an identifier, a directive or a whole opcode with its modifiers: "%rd1", ".reg", "ld.global.nc.f32",
/// "%tid.x". A string's text is without its quotes.
struct Token {
  std::string_view text;
  std::int32_t line = 0;
  TokenKind kind = TokenKind::end;

  [[nodiscard]] bool is(char c) const { return kind == TokenKind::punctuation && text[0] == c; }
  [[nodiscard]] bool is(std::string_view word) const { return kind == TokenKind::word && text == word; }
};

/// Throws Error "ptx:LINE: ..." for a character that PTX does not know. The last token is `end`. The tokens view the
/// text.
std::vector<Token> tokenise(std::string_view text);

/// "ptx:LINE: message".
std::string at_line(std::int32_t line, std::string_view message);

}  // namespace kerlab::ptx
