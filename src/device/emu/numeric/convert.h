#pragma once
// cvt of one value, as PTX ISA "Data Movement and Conversion Instructions: cvt" and an H200 have it.

#include <cstdint>

#include "device/emu/numeric/format.h"

namespace kerlab::emu::numeric {

enum class Value : std::uint8_t { u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, tf32, f32, f64, e4m3, e5m2 };

constexpr bool is_integer(Value value) {
  return value <= Value::s64;
}
constexpr bool is_signed_integer(Value value) {
  return value == Value::s8 || value == Value::s16 || value == Value::s32 || value == Value::s64;
}
constexpr const Format& format_of(Value value) {
  switch (value) {
    case Value::f16:
      return kF16;
    case Value::bf16:
      return kBf16;
    case Value::tf32:
      return kTf32;
    case Value::f32:
      return kF32;
    case Value::e4m3:
      return kE4m3;
    case Value::e5m2:
      return kE5m2;
    default:
      return kF64;
  }
}
constexpr int bits_of(Value value) {
  return is_integer(value) ? 8 << (static_cast<int>(value) / 2) : format_of(value).bits();
}

struct Conversion {
  Value to = Value::f32, from = Value::f32;
  Round round = Round::nearest_even;
  bool to_integral = false;  ///< .rni and so on from a float to a float: rounds to an integer
  bool saturate = false;     ///< .sat: integers to the destination's range, floats to [0, 1] (NaN: 0)
  bool satfinite = false;    ///< floats to the largest finite one
  bool relu = false;         ///< below zero: +0
  bool flush = false;        ///< .ftz: subnormal f32, on both sides, to zero of the same sign
};

/// `bits`: the source's, those above its width ignored. The result is extended to 64 bits as its type says: the caller
/// cuts it to the register.
std::uint64_t convert(const Conversion& conversion, std::uint64_t bits);

}  // namespace kerlab::emu::numeric
