#pragma once
// Number formats as integers: one rounding to any data type, and back to double, with the same bits on host and device.
// For NVRTC: includes nothing of the standard library, uses no half or bfloat16 header.

#include "common/lab_abi.h"

#if defined(__CUDACC__)
#define KERLAB_BOTH __host__ __device__ __forceinline__
#define KERLAB_BOTH_RARE __host__ __device__ __noinline__  // seldom taken: kept out of the loops that call it
#define KERLAB_ROLLED _Pragma("unroll 1")                  // before a loop that would only take longer to compile
#else
#define KERLAB_BOTH inline
#define KERLAB_BOTH_RARE inline
#define KERLAB_ROLLED
#endif

namespace kerlab::lab {

// Values of `dtype`: those of kerlab::DType, in its order. Complex numbers are pairs of kFp32.
enum NumberId : u32 {
  kFp64,
  kFp32,
  kTf32,
  kBf16,
  kFp16,
  kE4m3,
  kE5m2,
  kInt64,
  kInt32,
  kInt8,
  kUint32,
  kUint8,
  kBool,
  kInt16,
  kUint16,
  kUint64,
  kInt4,
  kUint4,
  kE2m1,
  kE8m0
};
inline constexpr u32 kNumberIds = 20;

/// Layout of a data type. Bit patterns exclude the sign; those of tf32 are shifted left by `shift` in memory.
struct Format {
  int bytes;
  bool is_float;
  bool is_signed;
  int precision;         // p, hidden bit included; 0 for integers
  int minimum_exponent;  // of the smallest normal number
  int shift;
  u64 maximum;   // largest finite magnitude (for integers its value)
  u64 overflow;  // what a magnitude beyond it becomes: infinity; fp8 saturates, as the hardware's conversion does
  u64 nan;
  int per_byte = 1;  // 2: packed, the first of two in the low bits, and `bytes` holds both
};

/// Of an element: bits in memory.
KERLAB_BOTH constexpr int bits_in(const Format& f) {
  return 8 * f.bytes / f.per_byte;
}
/// Powers of two alone (e8m0): neither sign nor zero. They and e2m1 have so few numbers that a tolerance of half their
/// distance would take a neighbour for right.
KERLAB_BOTH constexpr bool is_power(const Format& f) {
  return f.precision == 1;
}
KERLAB_BOTH constexpr bool has_few_numbers(const Format& f) {
  return f.is_float && f.precision <= 2;
}
/// In how many bytes the elements before this one lie.
KERLAB_BOTH constexpr u64 byte_of(const Format& f, u64 index) {
  return index / static_cast<u64>(f.per_byte) * static_cast<u64>(f.bytes);
}
/// The bits of element `index`, out of those that begin at its byte.
KERLAB_BOTH constexpr u64 bits_of_element(const Format& f, u64 loaded, u64 index) {
  return f.per_byte == 1 ? loaded : loaded >> (index % 2 * 4) & 15;
}

KERLAB_BOTH constexpr Format format_of(u32 dtype) {
  switch (dtype) {
    case kFp64:
      return {8, true, true, 53, -1022, 0, 0x7FEFFFFFFFFFFFFFull, 0x7FF0000000000000ull, 0x7FF8000000000000ull};
    case kFp32:
      return {4, true, true, 24, -126, 0, 0x7F7FFFFFull, 0x7F800000ull, 0x7FC00000ull};
    case kTf32:
      return {4, true, true, 11, -126, 13, 0x3FBFFull, 0x3FC00ull, 0x3FE00ull};
    case kBf16:
      return {2, true, true, 8, -126, 0, 0x7F7Full, 0x7F80ull, 0x7FC0ull};
    case kFp16:
      return {2, true, true, 11, -14, 0, 0x7BFFull, 0x7C00ull, 0x7E00ull};
    case kE4m3:
      return {1, true, true, 4, -6, 0, 0x7Eull, 0x7Eull, 0x7Full};
    case kE5m2:
      return {1, true, true, 3, -14, 0, 0x7Bull, 0x7Bull, 0x7Eull};
    case kInt64:
      return {8, false, true, 0, 0, 0, 0x7FFFFFFFFFFFFFFFull, 0x7FFFFFFFFFFFFFFFull, 0};
    case kInt32:
      return {4, false, true, 0, 0, 0, 0x7FFFFFFFull, 0x7FFFFFFFull, 0};
    case kInt8:
      return {1, false, true, 0, 0, 0, 0x7Full, 0x7Full, 0};
    case kUint32:
      return {4, false, false, 0, 0, 0, 0xFFFFFFFFull, 0xFFFFFFFFull, 0};
    case kBool:
      return {1, false, false, 0, 0, 0, 1, 1, 0};
    case kInt16:
      return {2, false, true, 0, 0, 0, 0x7FFFull, 0x7FFFull, 0};
    case kUint16:
      return {2, false, false, 0, 0, 0, 0xFFFFull, 0xFFFFull, 0};
    case kUint64:
      return {8, false, false, 0, 0, 0, 0xFFFFFFFFFFFFFFFFull, 0xFFFFFFFFFFFFFFFFull, 0};
    case kInt4:
      return {1, false, true, 0, 0, 0, 7, 7, 0, 2};
    case kUint4:
      return {1, false, false, 0, 0, 0, 15, 15, 0, 2};
    case kE2m1:  // no infinity, no NaN: a conversion makes 6 of both
      return {1, true, true, 2, 0, 0, 7, 7, 7, 2};
    case kE8m0:
      return {1, true, false, 1, -127, 0, 0xFEull, 0xFEull, 0xFFull};
    default:
      return {1, false, false, 0, 0, 0, 0xFFull, 0xFFull, 0};
  }
}

KERLAB_BOTH int leading_zeros(u64 x) {  // x != 0
#if defined(__CUDA_ARCH__)
  return __clzll(static_cast<i64>(x));
#else
  return __builtin_clzll(x);
#endif
}

KERLAB_BOTH int bit_count(u64 x) {
#if defined(__CUDA_ARCH__)
  return __popcll(x);
#else  // what the compiler calls where it may not use the instruction takes twice as long
  x -= x >> 1 & 0x5555555555555555ull;
  x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
  x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
  return static_cast<int>(x * 0x0101010101010101ull >> 56);
#endif
}

KERLAB_BOTH u64 bits_of(double x) {
#if defined(__CUDA_ARCH__)
  return static_cast<u64>(__double_as_longlong(x));
#else
  u64 bits = 0;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

KERLAB_BOTH double double_of(u64 bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(static_cast<i64>(bits));
#else
  double x = 0;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

/// 2^exponent, for -1022 <= exponent <= 1023.
KERLAB_BOTH double power_of_two(int exponent) {
  return double_of(static_cast<u64>(exponent + 1023) << 52);
}

/// magnitude * 2^-shift, to nearest, ties to even. A negative shift must not lose bits.
KERLAB_BOTH u64 shift_round(u64 magnitude, int shift) {
  if (shift <= 0) return magnitude << -shift;
  if (shift > 64) return 0;
  const u64 kept = shift == 64 ? 0 : magnitude >> shift;
  const u64 rest = shift == 64 ? magnitude : magnitude & ((u64{1} << shift) - 1);
  const u64 half = u64{1} << (shift - 1);
  return kept + static_cast<u64>(rest + (kept & 1) > half);  // without a branch, which random numbers mispredict
}

/// Magnitude bits of magnitude * 2^exponent in a float format: one rounding to nearest even.
KERLAB_BOTH u64 encode_float_magnitude(const Format& f, u64 magnitude, int exponent) {
  if (magnitude == 0) return 0;
  const int top = 63 - leading_zeros(magnitude) + exponent;
  if (top > 1100) return f.overflow;
  if (is_power(f)) {  // to the nearer of two; 1.5 up
    if (top < f.minimum_exponent) return 0;
    const u64 power = static_cast<u64>(top - f.minimum_exponent) + (magnitude << leading_zeros(magnitude) << 1 >> 63);
    return power > f.maximum ? f.overflow : power;
  }
  const int normal_exponent = top < f.minimum_exponent ? f.minimum_exponent : top;
  const u64 rounded = shift_round(magnitude, normal_exponent - (f.precision - 1) - exponent);
  // The hidden bit of a normal number, and a carry out of the rounding, add one to the exponent field.
  const u64 bits = (static_cast<u64>(normal_exponent - f.minimum_exponent) << (f.precision - 1)) + rounded;
  return bits > f.maximum ? f.overflow : bits;
}

KERLAB_BOTH u64 encode_integer_magnitude(u64 most, u64 magnitude, int exponent) {
  if (magnitude == 0) return 0;
  if (63 - leading_zeros(magnitude) + exponent >= 64) return most;
  const u64 value = shift_round(magnitude, -exponent);
  return value > most ? most : value;
}

/// Bits in memory of (-1)^negative * magnitude * 2^exponent, rounded once. Integers saturate, to as much on either side
/// unless `to_least` is asked for (-128 of int8); unsigned ones take the absolute value.
KERLAB_BOTH u64 encode(const Format& f, bool negative, u64 magnitude, int exponent, bool to_least = false) {
  if (!f.is_float) {
    const bool one_more = to_least && f.is_signed && negative;
    const u64 value = encode_integer_magnitude(one_more ? f.maximum + 1 : f.maximum, magnitude, exponent);
    const u64 mask = f.bytes == 8 ? ~u64{0} : (u64{1} << bits_in(f)) - 1;
    return (negative && f.is_signed ? ~value + 1 : value) & mask;
  }
  const u64 bits = encode_float_magnitude(f, magnitude, exponent) << f.shift;
  const u64 sign = static_cast<u64>(negative) & static_cast<u64>(bits != 0) & static_cast<u64>(f.is_signed);
  return bits | (sign << (bits_in(f) - 1));
}

KERLAB_BOTH bool is_nan(double x) {
  return (bits_of(x) & 0x7FFFFFFFFFFFFFFFull) > 0x7FF0000000000000ull;
}
KERLAB_BOTH bool is_infinite(double x) {
  return (bits_of(x) & 0x7FFFFFFFFFFFFFFFull) == 0x7FF0000000000000ull;
}
KERLAB_BOTH double absolute_value(double x) {
  return double_of(bits_of(x) & 0x7FFFFFFFFFFFFFFFull);
}

/// Bits in memory of x, rounded once; zero loses its sign.
KERLAB_BOTH u64 encode(const Format& f, double x) {
  const u64 bits = bits_of(x);
  const bool negative = (bits >> 63) != 0;
  const int field = static_cast<int>((bits >> 52) & 0x7FF);
  const u64 fraction = bits & 0xFFFFFFFFFFFFFull;
  if (field == 0x7FF && f.is_float) {
    const u64 special = (fraction != 0 ? f.nan : f.overflow) << f.shift;
    return special | (static_cast<u64>(negative && fraction == 0 && f.is_signed) << (bits_in(f) - 1));
  }
  if (field == 0x7FF) return encode(f, negative, fraction != 0 ? 0 : 1, 64);
  return field == 0 ? encode(f, negative, fraction, -1074)
                    : encode(f, negative, fraction | (u64{1} << 52), field - 1075);
}

/// The value of bits in memory.
KERLAB_BOTH double decode(const Format& f, u64 bits) {
  if (!f.is_float) {
    if (!f.is_signed) return static_cast<double>(bits);
    const int unused = 64 - bits_in(f);
    return static_cast<double>(static_cast<i64>(bits << unused) >> unused);
  }
  if (f.precision == 53) return double_of(bits);
  if (is_power(f)) return bits > f.maximum ? double_of(0x7FF8000000000000ull) : power_of_two(static_cast<int>(bits) - 127);
  const int sign_at = bits_in(f) - 1;
  const u64 sign = (bits >> sign_at) << 63;
  const u64 magnitude = (bits & ((u64{1} << sign_at) - 1)) >> f.shift;
  if (magnitude > f.maximum) {
    const bool infinity = f.overflow > f.maximum ? magnitude == f.overflow : f.precision == 3 && magnitude == 0x7C;
    return double_of(sign | (infinity ? 0x7FF0000000000000ull : 0x7FF8000000000000ull));
  }
  const u64 field = magnitude >> (f.precision - 1);
  const u64 fraction = magnitude & ((u64{1} << (f.precision - 1)) - 1);
  if (field == 0) {
    const double size = static_cast<double>(fraction) * power_of_two(f.minimum_exponent - (f.precision - 1));
    return double_of(sign | bits_of(size));
  }
  const u64 wide = (field + static_cast<u64>(f.minimum_exponent - 1 + 1023)) << 52;
  return double_of(sign | wide | (fraction << (53 - f.precision)));
}

}  // namespace kerlab::lab
