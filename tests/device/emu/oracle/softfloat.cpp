// Formats, and rounding from double to narrower ones.

#include <bit>
#include <cmath>

#include "device/emu/oracle/scalar.h"

namespace kerlab::oracle {

using ptx::Rounding;
using ptx::Type;

Type element_of(Type type) {
  if (type == Type::f16x2) return Type::f16;
  if (type == Type::bf16x2) return Type::bf16;
  if (type == Type::u16x2) return Type::u16;
  if (type == Type::s16x2) return Type::s16;
  return type;
}

bool is_packed(Type type) {
  return element_of(type) != type;
}

Format format_of(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
      return kHalf;
    case Type::bf16:
    case Type::bf16x2:
      return kBrain;
    case Type::f64:
      return kDouble;
    case Type::e4m3:
    case Type::e4m3x2:
      return kE4m3;
    case Type::e5m2:
    case Type::e5m2x2:
      return kE5m2;
    default:
      return kSingle;
  }
}

namespace {
u64 magnitude(u64 bits, Format f) {
  return low(bits, f.e + f.m);
}
u64 top(Format f) {
  return ((1ull << f.e) - 1) << f.m;
}
}  // namespace

bool is_nan(u64 bits, Format f) {
  if (f.e == 4) return magnitude(bits, f) == 0x7f;  // e4m3 has one NaN and no infinity
  return magnitude(bits, f) > top(f);
}
bool is_infinite(u64 bits, Format f) {
  return f.e != 4 && magnitude(bits, f) == top(f);
}
bool is_zero(u64 bits, Format f) {
  return magnitude(bits, f) == 0;
}
bool is_subnormal(u64 bits, Format f) {
  return magnitude(bits, f) != 0 && magnitude(bits, f) >> f.m == 0;
}
bool is_negative(u64 bits, Format f) {
  return (bits >> (f.e + f.m) & 1) != 0;
}
u64 canonical_nan(Format f) {
  return f.e == 11 ? 0xfff8000000000000ull : low(~0ull, f.e + f.m);
}
u64 infinity(Format f, bool negative) {
  return top(f) | u64{negative} << (f.e + f.m);
}
u64 flushed(u64 bits, Format f) {
  return is_subnormal(bits, f) ? bits & 1ull << (f.e + f.m) : low(bits, f.bits());
}

double to_double(u64 bits, Format f) {
  const bool negative = is_negative(bits, f);
  const u64 field = magnitude(bits, f) >> f.m, fraction = low(bits, f.m);
  double x = 0;
  if (is_infinite(bits, f)) {
    x = HUGE_VAL;
  } else if (field == 0) {
    x = std::ldexp(static_cast<double>(fraction), 1 - f.bias() - f.m);
  } else {
    x = std::ldexp(static_cast<double>(fraction | 1ull << f.m), static_cast<int>(field) - f.bias() - f.m);
  }
  return negative ? -x : x;
}

double rounded_to_integral(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::rzi:
      return std::trunc(x);
    case Rounding::rmi:
      return std::floor(x);
    case Rounding::rpi:
      return std::ceil(x);
    default: {  // nearest even, whatever the host's rounding mode is
      const double below = std::floor(x), rest = x - below;
      if (std::abs(x) >= 4503599627370496.0) return x;
      const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0);
      return std::copysign(up ? below + 1 : below, x);
    }
  }
}

u64 from_double(double x, Format f, Rounding rounding) {
  const u64 sign = u64{std::signbit(x)} << (f.e + f.m);
  if (rounding >= Rounding::rni) {
    x = rounded_to_integral(x, rounding);
    rounding = Rounding::rn;
  }
  if (x == 0) return sign;
  const bool negative = std::signbit(x);
  const bool away = (rounding == Rounding::rm && negative) || (rounding == Rounding::rp && !negative);
  const bool nearest = rounding == Rounding::rn || rounding == Rounding::none || rounding == Rounding::rna;
  const u64 largest = f.e == 4 ? 0x7e : top(f) - 1;
  if (std::isinf(x)) return sign | (f.e == 4 ? 0x7f : top(f));
  // |x| = significand * 2^exponent with 53 bits; keep what the format can hold
  int exponent = 0;
  const u64 significand = static_cast<u64>(std::ldexp(std::frexp(std::abs(x), &exponent), 53));
  exponent -= 53;
  const int smallest = 1 - f.bias() - f.m;  // exponent of the last place of subnormal numbers
  int last = exponent + 53 - (f.m + 1);     // exponent of the last place kept
  if (last < smallest) last = smallest;
  const int shift = last - exponent;
  u64 kept = 0, rest = significand, half = 0;
  if (shift <= 0) {
    kept = significand << -shift;
    rest = 0;
    half = 1;
  } else if (shift >= 64) {
    half = ~0ull;  // less than half
  } else {
    kept = significand >> shift;
    rest = low(significand, shift);
    half = 1ull << (shift - 1);
  }
  if (rest != 0) {
    const bool tie = rest == half;
    if (nearest ? rest > half || (tie && (rounding == Rounding::rna || (kept & 1) != 0)) : away) ++kept;
  }
  // a carry into the next power of two comes out right, since exponent and fraction are adjacent
  const u64 field = kept >> f.m == 0 ? 0 : static_cast<u64>(last - smallest + 1);
  const u64 result = field == 0 ? kept : ((field - 1) << f.m) + kept;
  if (result > largest) return sign | (nearest || away ? (f.e == 4 ? 0x7f : top(f)) : largest);
  return sign | result;
}

double odd_sum(double a, double b) {
  const double sum = a + b;
  if (std::isinf(sum) || std::isnan(sum)) return sum;
  const double bb = sum - a;
  const double error = (a - (sum - bb)) + (b - bb);  // exact (Knuth's two-sum)
  if (error == 0 || (std::bit_cast<u64>(sum) & 1) != 0) return sum;
  return (error > 0) == (sum > 0) ? std::bit_cast<double>(std::bit_cast<u64>(sum) + 1)
                                  : std::bit_cast<double>(std::bit_cast<u64>(sum) - 1);
}

}  // namespace kerlab::oracle
