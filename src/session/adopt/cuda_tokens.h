#pragma once
// A CUDA source as tokens: as much of C++ as finding its kernels takes. Nothing is preprocessed.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/modules.h"
#include "spec/expression/expression.h"

namespace kerlab::session {

struct CudaToken {
  enum class Kind : std::uint8_t { word, number, text, sign, directive };
  Kind kind = Kind::sign;
  std::string text;  ///< of a directive the whole of it, from # to the end of its last line
  std::size_t begin = 0, end = 0;
  [[nodiscard]] bool is(std::string_view what) const { return kind != Kind::text && text == what; }
};
using CudaTokens = std::vector<CudaToken>;

/// Comments are left out. Signs of several letters: :: <<< << <= >= == != && || ->. Throws SpecError for a comment or
/// a string without an end.
CudaTokens cuda_tokens(const std::string& file, std::string_view source);

/// Line and column of a place in a source.
SourceLocation place_in(const std::string& file, std::string_view source, std::size_t offset);

/// Behind the bracket that closes the one at `open`, which is ( [ { or <; the end where nothing does.
std::size_t behind_bracket(const CudaTokens& tokens, std::size_t open);

/// [first, last) split at commas outside of brackets; angle brackets count too. Empty: no part at all.
std::vector<CudaTokens> split_at_commas(const CudaTokens& tokens, std::size_t first, std::size_t last);

}  // namespace kerlab::session
