// cvt, from the PTX ISA section "Data Movement and Conversion Instructions: cvt".

#include <algorithm>
#include <cmath>

#include "device/emu/oracle/scalar.h"

namespace kerlab::oracle {

using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

namespace {

/// The range of an integer type.
i128 smallest(Type type) {
  return ptx::is_signed(type) ? -(i128{1} << (ptx::bits(type) - 1)) : 0;
}
i128 largest(Type type) {
  return (i128{1} << (ptx::bits(type) - (ptx::is_signed(type) ? 1 : 0))) - 1;
}

u64 float_to_integer(Rounding rounding, Type to, Type from, u64 bits) {
  const Format f = format_of(from);
  if (is_nan(bits, f)) {
    // "Zero if source is not f64 and destination is not s64, u64. Otherwise 1 << (BitWidth(dst) - 1)"
    const bool zero = from != Type::f64 && ptx::bits(to) != 64;
    return zero ? 0 : 1ull << (ptx::bits(to) - 1);
  }
  const double x = rounded_to_integral(to_double(bits, f), rounding);
  if (x <= static_cast<double>(smallest(to))) return static_cast<u64>(smallest(to));
  if (x >= static_cast<double>(largest(to))) return static_cast<u64>(largest(to));  // 2^64 stands for 2^64 - 1
  return static_cast<u64>(static_cast<i128>(x));
}

u64 integer_to_float(Rounding rounding, Type to, Type from, u64 bits) {
  const bool negative = ptx::is_signed(from) && extend(bits, ptx::bits(from)) < 0;
  const u64 magnitude = negative ? 0 - static_cast<u64>(extend(bits, ptx::bits(from))) : low(bits, ptx::bits(from));
  // 64 bits as two exact halves whose sum is rounded to odd, then to the format
  const double high = static_cast<double>(magnitude >> 32) * 4294967296.0;
  const double rest = static_cast<double>(magnitude & 0xffffffffu);
  const Format f = format_of(to);
  if (f.m < 52) {
    const double x = odd_sum(high, rest);
    return from_double(negative ? -x : x, f, rounding);
  }
  const Rounding away = negative ? Rounding::rm : Rounding::rp;
  // f64: at most 11 bits are cut off
  const int excess = std::max(0, 11 - (magnitude == 0 ? 64 : __builtin_clzll(magnitude)));
  const u64 rest_bits = low(magnitude, excess), half = excess == 0 ? 0 : 1ull << (excess - 1);
  u64 kept = magnitude >> excess;
  if (rest_bits != 0) {
    const bool nearest = rounding == Rounding::rn;
    if (nearest ? rest_bits > half || (rest_bits == half && (kept & 1) != 0) : rounding == away) ++kept;
  }
  const double x = std::ldexp(static_cast<double>(kept), excess);
  return from_double(negative ? -x : x, f, Rounding::rn);
}

u64 saturated(u64 bits, Format f) {
  if (is_nan(bits, f) || is_negative(bits, f)) return 0;
  return std::min(bits, static_cast<u64>(f.bias()) << f.m);
}

/// Payloads survive to and from f64, and from bf16 to f32, where even a signalling NaN stays one.
u64 converted_nan(const Instruction& in, Format f, Format g, u64 bits) {
  if (g.m == 7 && f.m == 23) return bits << 16;
  if (f.m == 52 && in.modifiers.ftz) return 0x7fffffffe0000000ull;
  if (f.m != 52 && g.m != 52) return canonical_nan(f);
  const u64 fraction = low(bits, g.m), quiet = 1ull << (f.m - 1);
  const u64 payload = f.m >= g.m ? fraction << (f.m - g.m) : fraction >> (g.m - f.m);
  return infinity(f, is_negative(bits, g)) | quiet | payload;
}

u64 float_to_float(const Instruction& in, Type to, Type from, u64 bits) {
  const ptx::Modifiers& m = in.modifiers;
  const Format f = format_of(to), g = format_of(from);
  // .ftz does not concern a conversion to 16 bits
  if (m.ftz && g.m == 23 && f.m > 10) bits = flushed(bits, g);
  u64 result = 0;
  if (is_nan(bits, g)) {
    result = converted_nan(in, f, g, bits);
  } else {
    result = from_double(to_double(bits, g), f, m.rounding);
    if (m.satfinite && (is_nan(result, f) || is_infinite(result, f)))
      result = (result & 1ull << (f.e + f.m)) | (f.e == 4 ? 0x7e : infinity(f, false) - 1);
  }
  if (m.ftz && f.m == 23) result = flushed(result, f);
  if (m.sat) return saturated(result, f);
  if (m.relu && !is_nan(result, f) && is_negative(result, f)) return 0;
  return result;
}

/// tf32 is an f32 whose low 13 bits are not used.
u64 to_tf32(const Instruction& in, u64 bits) {
  if (is_nan(bits, kSingle)) return in.modifiers.rounding == Rounding::rna ? bits & ~0x1fffull : 0x7fffe000;
  if (in.modifiers.relu && is_negative(bits, kSingle)) return 0;
  const u64 result = from_double(to_double(bits, kSingle), Format{8, 10}, in.modifiers.rounding) << 13;
  if (in.modifiers.satfinite && is_infinite(result, kSingle)) return (result & 0x80000000u) | 0x7f7fe000u;
  return result;
}

u64 one(const Instruction& in, Type to, Type from, u64 bits) {
  if (to == Type::tf32) return to_tf32(in, bits);
  if (ptx::is_float(to) && ptx::is_float(from)) return float_to_float(in, to, from, bits);
  if (ptx::is_float(from)) {
    if (in.modifiers.ftz) bits = flushed(bits, format_of(from));
    return float_to_integer(in.modifiers.rounding, to, from, bits);
  }
  if (ptx::is_float(to)) {
    const u64 result = integer_to_float(in.modifiers.rounding, to, from, bits);
    return in.modifiers.sat ? saturated(result, format_of(to)) : result;
  }
  const int n = ptx::bits(from);
  const i128 x = ptx::is_signed(from) ? static_cast<i128>(extend(bits, n)) : static_cast<i128>(low(bits, n));
  return static_cast<u64>(in.modifiers.sat ? std::clamp(x, smallest(to), largest(to)) : x);
}

Type half_of(Type type) {
  if (type == Type::e4m3x2) return Type::e4m3;
  if (type == Type::e5m2x2) return Type::e5m2;
  return element_of(type);
}

}  // namespace

u64 convert(const Instruction& in, const u64* x, int bits_out) {
  const Type to = in.types[0], from = in.types[1];
  const Type to_half = half_of(to), from_half = half_of(from);
  if (to_half != to) {
    const int n = ptx::bits(to) / 2, source = ptx::bits(from) / 2;
    // two operands: the first becomes the upper half
    const u64 upper = from_half == from ? x[0] : x[0] >> source;
    const u64 lower = from_half == from ? x[1] : low(x[0], source);
    return low(one(in, to_half, from_half, low(upper, ptx::bits(from_half))), n) << n |
           low(one(in, to_half, from_half, low(lower, ptx::bits(from_half))), n);
  }
  const u64 result = one(in, to, from, low(x[0], ptx::bits(from)));
  // a register wider than the type is filled by sign or zero
  const int n = to == Type::tf32 ? 32 : ptx::bits(to);
  return low(ptx::is_signed(to) ? static_cast<u64>(extend(result, n)) : low(result, n), bits_out);
}

}  // namespace kerlab::oracle
