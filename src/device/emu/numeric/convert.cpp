#include "device/emu/numeric/convert.h"

namespace kerlab::emu::numeric {
namespace {

std::uint64_t extended(std::uint64_t bits, Value value) {
  const int above = 64 - bits_of(value);
  if (is_signed_integer(value)) return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << above) >> above);
  return bits << above >> above;
}

std::uint64_t largest_integer(Value value) {
  return ~0ull >> (64 - bits_of(value) + (is_signed_integer(value) ? 1 : 0));
}

/// The integer nearest in the destination's range.
std::uint64_t clamped(std::uint64_t magnitude, bool negative, Value to) {
  const std::uint64_t largest = largest_integer(to);
  if (!negative) return magnitude < largest ? magnitude : largest;
  if (!is_signed_integer(to)) return 0;
  return 0 - (magnitude < largest + 1 ? magnitude : largest + 1);
}

bool is_negative(std::uint64_t extended_bits, Value from) {
  return is_signed_integer(from) && static_cast<std::int64_t>(extended_bits) < 0;
}

std::uint64_t integer_to_integer(const Conversion& c, std::uint64_t bits) {
  const std::uint64_t value = extended(bits, c.from);
  if (!c.saturate) return extended(value, c.to);
  const bool negative = is_negative(value, c.from);
  return clamped(negative ? 0 - value : value, negative, c.to);
}

bool is_subnormal(const Number& number, const Format& format) {
  return number.kind == Kind::finite && leading_exponent(number) < format.smallest_exponent();
}

/// NaN becomes 0; from f64 or to 64 bits, however, the integer with only the top bit of the destination set.
std::uint64_t nan_as_integer(const Conversion& c) {
  if (c.from != Value::f64 && bits_of(c.to) != 64) return 0;
  return extended(1ull << (bits_of(c.to) - 1), c.to);
}

std::uint64_t float_to_integer(const Conversion& c, std::uint64_t bits) {
  const Format& format = format_of(c.from);
  const Number number = unpack(bits, format);
  switch (number.kind) {
    case Kind::nan:
      return nan_as_integer(c);
    case Kind::zero:
      return 0;
    case Kind::infinite:
      return clamped(~0ull, number.negative, c.to);
    case Kind::finite:
      break;
  }
  if (c.flush && is_subnormal(number, format)) return 0;
  const std::uint64_t magnitude = shift_right_rounded(number.significand, -number.exponent, number.negative, c.round);
  return clamped(magnitude, number.negative, c.to);
}

Number taken_as_number(const Conversion& c, std::uint64_t bits) {
  if (!is_integer(c.from)) return unpack(bits, format_of(c.from));
  const std::uint64_t value = extended(bits, c.from);
  const bool negative = is_negative(value, c.from);
  return {value == 0 ? Kind::zero : Kind::finite, negative, negative ? 0 - value : value, 0};
}

Number rounded_to_integer(Number number, Round round) {
  if (number.kind != Kind::finite || number.exponent >= 0) return number;
  number.significand = shift_right_rounded(number.significand, -number.exponent, number.negative, round);
  number.exponent = 0;
  if (number.significand == 0) number.kind = Kind::zero;
  return number;
}

/// To [0, 1].
Number saturated(Number number) {
  if (number.kind == Kind::nan || number.negative) return {};
  const bool large = number.kind == Kind::infinite || (number.kind == Kind::finite && leading_exponent(number) >= 0);
  return large ? Number{Kind::finite, false, 1, 0} : number;
}

/// What an H200 makes of a NaN. From and to f64 sign and payload stay, quiet; .ftz has an f32 pass the f32 units first,
/// which know one NaN only. bf16 to f32 is a shift, rna.tf32 cuts bits off: neither looks for NaN.
std::uint64_t nan_as_float(const Conversion& c, std::uint64_t bits) {
  const Format &from = format_of(c.from), &to = format_of(c.to);
  if (c.to == Value::f32 && c.from == Value::bf16) return bits << 16 & 0xffffffff;
  if (c.to == Value::tf32 && c.round == Round::nearest_away) return bits & 0xffffe000;
  if ((c.to != Value::f64 && c.from != Value::f64) || c.relu) return quiet_nan(to);
  if (c.flush && c.from == Value::f32) bits = quiet_nan(from);
  const int wider = to.fraction_bits - from.fraction_bits;
  const std::uint64_t payload = bits & ((1ull << from.fraction_bits) - 1);
  const std::uint64_t sign = bits >> (from.bits() - 1) & 1, quiet = 1ull << (to.fraction_bits - 1);
  return sign << (to.bits() - 1) | infinity(to) | quiet | (wider < 0 ? payload >> -wider : payload << wider);
}

}  // namespace

std::uint64_t convert(const Conversion& c, std::uint64_t bits) {
  if (is_integer(c.to)) return is_integer(c.from) ? integer_to_integer(c, bits) : float_to_integer(c, bits);
  const Format& to = format_of(c.to);
  Number number = taken_as_number(c, bits);
  if (number.kind == Kind::nan && !c.saturate) return c.satfinite ? quiet_nan(to) : nan_as_float(c, bits);
  // To 16 bits an H200 does not flush: seen where .rm and .rp round a subnormal away from zero.
  if (c.flush && c.from == Value::f32 && to.bits() > 16 && is_subnormal(number, kF32)) number.kind = Kind::zero;
  if (c.to_integral) number = rounded_to_integer(number, c.round);
  if (c.saturate) number = saturated(number);
  if (c.relu && number.kind != Kind::nan && number.negative) number = {};
  std::uint64_t result = pack(number, to, c.round, c.satfinite ? Overflow::largest : Overflow::ieee);
  if (c.flush && c.to == Value::f32 && is_subnormal(unpack(result, kF32), kF32)) result &= 0x80000000;
  return result;
}

}  // namespace kerlab::emu::numeric
