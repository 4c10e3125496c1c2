#pragma once
// Numbers in PTX text.

#include <cstdint>

#include "device/emu/ptx/ir.h"
#include "device/emu/ptx/lexer.h"

namespace kerlab::ptx {

/// An integer or float literal (PTX ISA, section Constants): decimal, 0x, 0b, octal, 0f and 0d; without sign.
struct Literal {
  enum class Kind : std::uint8_t { integer, single_bits, double_bits, decimal } kind = Kind::integer;
  std::uint64_t bits = 0;  ///< of an integer, or of the float; of `decimal` the bits of the double
};
/// Throws Error with the line for what is none, or does not fit 64 bits.
Literal literal(const Token& token);

/// The bits of a literal, negated or not, as a value of a type: integers in two's complement, cut to the type's width;
/// a float literal rounded to a float type, its own bits for other types. Type::none: 64 bits.
std::uint64_t bits_as(Type type, const Literal& literal, bool negative);

}  // namespace kerlab::ptx
