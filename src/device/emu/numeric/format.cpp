#include "device/emu/numeric/format.h"

#include <bit>

namespace kerlab::emu::numeric {
namespace {

/// Does a remainder make the magnitude one larger? `half`: -1, 0, 1 for a remainder below, at, above one half.
bool round_up(bool odd, bool inexact, int half, bool negative, Round round) {
  switch (round) {
    case Round::nearest_even:
      return half > 0 || (half == 0 && odd);
    case Round::nearest_away:
      return half >= 0;
    case Round::zero:
      return false;
    case Round::down:
      return inexact && negative;
    case Round::up:
      return inexact && !negative;
  }
  return false;
}

std::uint64_t with_sign(std::uint64_t magnitude, bool negative, const Format& format) {
  return (magnitude | (negative ? 1ull << (format.exponent_bits + format.fraction_bits) : 0)) << format.unused_bits;
}

std::uint64_t overflowed(bool negative, const Format& format, Round round, Overflow overflow) {
  const bool towards_zero = round == Round::zero || round == (negative ? Round::up : Round::down);
  if (overflow == Overflow::largest || (overflow == Overflow::ieee && towards_zero)) {
    return with_sign(largest_finite(format) >> format.unused_bits, negative, format);
  }
  return with_sign(infinity(format) >> format.unused_bits, negative, format);
}

}  // namespace

int leading_exponent(const Number& number) {
  return number.exponent + 63 - std::countl_zero(number.significand);
}

std::uint64_t quiet_nan(const Format& format) {
  return ((1ull << (format.exponent_bits + format.fraction_bits)) - 1) << format.unused_bits;
}

std::uint64_t infinity(const Format& format) {
  if (!format.infinities) return quiet_nan(format);
  return ((1ull << format.exponent_bits) - 1) << (format.fraction_bits + format.unused_bits);
}

std::uint64_t largest_finite(const Format& format) {
  return infinity(format) - (1ull << format.unused_bits);
}

Number unpack(std::uint64_t bits, const Format& format) {
  const std::uint64_t exponent_mask = (1ull << format.exponent_bits) - 1,
                      fraction_mask = (1ull << format.fraction_bits) - 1;
  bits >>= format.unused_bits;
  const std::uint64_t fraction = bits & fraction_mask, exponent = (bits >> format.fraction_bits) & exponent_mask;
  Number number;
  number.negative = (bits >> (format.exponent_bits + format.fraction_bits) & 1) != 0;
  if (exponent == exponent_mask && (format.infinities || fraction == fraction_mask)) {
    number.kind = format.infinities && fraction == 0 ? Kind::infinite : Kind::nan;
    return number;
  }
  if (exponent == 0 && fraction == 0) return number;
  number.kind = Kind::finite;
  number.significand = exponent == 0 ? fraction : fraction | (1ull << format.fraction_bits);
  number.exponent = (exponent == 0 ? 1 : static_cast<int>(exponent)) - format.bias() - format.fraction_bits;
  return number;
}

std::uint64_t shift_right_rounded(std::uint64_t significand, int shift, bool negative, Round round) {
  if (significand == 0) return 0;
  if (shift <= 0) return -shift > std::countl_zero(significand) ? ~0ull : significand << -shift;
  if (shift > 64) return round_up(false, true, -1, negative, round) ? 1 : 0;
  const std::uint64_t kept = shift == 64 ? 0 : significand >> shift;
  const std::uint64_t rest = shift == 64 ? significand : significand & ((1ull << shift) - 1);
  const std::uint64_t middle = 1ull << (shift - 1);
  const int half = rest > middle ? 1 : rest == middle ? 0 : -1;
  return kept + (round_up((kept & 1) != 0, rest != 0, half, negative, round) ? 1 : 0);
}

std::uint64_t pack(const Number& number, const Format& format, Round round, Overflow overflow) {
  switch (number.kind) {
    case Kind::nan:
      return quiet_nan(format);
    case Kind::zero:
      return with_sign(0, number.negative, format);
    case Kind::infinite:
      return overflowed(number.negative, format, Round::nearest_even, overflow);
    case Kind::finite:
      break;
  }
  const int leading = leading_exponent(number);
  if (leading > format.bias() + 1) return overflowed(number.negative, format, round, overflow);
  int exponent = leading < format.smallest_exponent() ? format.smallest_exponent() : leading;
  // The unit in the last place is 2^(exponent - fraction_bits).
  std::uint64_t rounded = shift_right_rounded(number.significand, exponent - format.fraction_bits - number.exponent,
                                              number.negative, round);
  if (rounded >> (format.fraction_bits + 1) != 0) rounded >>= 1, ++exponent;
  // Adding, not or-ing: the leading bit of a normal number carries into the exponent; a subnormal has none.
  const std::uint64_t bits =
      (static_cast<std::uint64_t>(exponent - format.smallest_exponent()) << format.fraction_bits) + rounded;
  if (bits > largest_finite(format) >> format.unused_bits) return overflowed(number.negative, format, round, overflow);
  return with_sign(bits, number.negative, format);
}

}  // namespace kerlab::emu::numeric
