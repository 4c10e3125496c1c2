#pragma once
// Binary floating-point formats as data, and numbers taken apart: the slow, exact ground under conversions and the
// tensor core. Bits travel in the low end of a u64.

#include <cstdint>

#include "base/modules.h"

namespace kerlab::emu::numeric {

/// IEEE 754 interchange formats, and e4m3, which gives up infinities for range (OCP 8-bit floating point
/// specification 1.0, section 5). tf32 lies in the upper 19 bits of an f32: `unused_bits` are those below.
struct Format {
  int exponent_bits, fraction_bits;
  bool infinities = true;
  int unused_bits = 0;
  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr int smallest_exponent() const { return 1 - bias(); }  ///< of a normal number
  [[nodiscard]] constexpr int bits() const { return 1 + exponent_bits + fraction_bits + unused_bits; }
};
inline constexpr Format kF64{11, 52}, kF32{8, 23}, kTf32{8, 10, true, 13}, kBf16{8, 7}, kF16{5, 10}, kE5m2{5, 2},
    kE4m3{4, 3, false};

enum class Kind : std::uint8_t { zero, finite, infinite, nan };

/// (negative ? -1 : 1) * significand * 2^exponent.
struct Number {
  Kind kind = Kind::zero;
  bool negative = false;
  std::uint64_t significand = 0;  ///< not 0 when finite
  int exponent = 0;
};

/// Of |number|: floor(log2). Of finite numbers only.
int leading_exponent(const Number& number);

/// Exact. Unused bits below a tf32 are ignored.
Number unpack(std::uint64_t bits, const Format& format);

/// PTX ISA "Rounding modifiers": nearest even, to zero, down, up, nearest with ties away from zero.
enum class Round : std::uint8_t { nearest_even, zero, down, up, nearest_away };

/// What becomes of a magnitude beyond the format's largest: by the rounding mode as IEEE 754 says (a format without
/// infinities: NaN), the largest finite number (PTX .satfinite; NaN stays NaN), or infinity whatever the rounding.
enum class Overflow : std::uint8_t { ieee, largest, infinity };

/// Rounds to the format; subnormals are kept. NaN is the format's positive one with all fraction bits set.
std::uint64_t pack(const Number& number, const Format& format, Round round, Overflow overflow = Overflow::ieee);

/// significand * 2^-shift rounded to an integer; a shift below zero multiplies. Saturates at 2^64 - 1.
std::uint64_t shift_right_rounded(std::uint64_t significand, int shift, bool negative, Round round);

std::uint64_t quiet_nan(const Format& format);
std::uint64_t infinity(const Format& format);        ///< for e4m3 its NaN
std::uint64_t largest_finite(const Format& format);  ///< positive

}  // namespace kerlab::emu::numeric
