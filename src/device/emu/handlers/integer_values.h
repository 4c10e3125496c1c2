#pragma once
// Integer arithmetic on strips that GCC's vector types do not have: high halves of products, shifts by any amount.

#include "device/emu/handlers/lanes.h"

namespace kerlab::emu::KERLAB_ISA {

template <class V>
using UnsignedOf = Vector<std::make_unsigned_t<Element<V>>, kLanesOf<V>>;
template <class V>
using SignedOf = Vector<std::make_signed_t<Element<V>>, kLanesOf<V>>;
template <class V>
inline constexpr bool kSigned = std::is_signed_v<Element<V>>;

/// Products of the low halves of the 64-bit lanes.
KERLAB_INLINE u64x4 multiply_low_halves(u64x4 a, u64x4 b) {
#if defined(__AVX2__)
  return (u64x4)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
  return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

/// The high half of the product, per lane.
KERLAB_INLINE u32x8 multiply_high(u32x8 a, u32x8 b) {
  const u64x4 even = multiply_low_halves(as<u64x4>(a), as<u64x4>(b));
  const u64x4 odd = multiply_low_halves(as<u64x4>(a) >> 32, as<u64x4>(b) >> 32);
  return as<u32x8>((even >> 32) | (odd & 0xffffffff00000000u));
}
KERLAB_INLINE i32x8 multiply_high(i32x8 a, i32x8 b) {
  // (a + 2^32 [a < 0]) (b + 2^32 [b < 0]) modulo 2^64: the high half of the unsigned product is too large by b, by a.
  const u32x8 ua = as<u32x8>(a);
  const u32x8 ub = as<u32x8>(b);
  return as<i32x8>(multiply_high(ua, ub) - (ub & as<u32x8>(a >> 31)) - (ua & as<u32x8>(b >> 31)));
}
KERLAB_INLINE u64x4 multiply_high(u64x4 a, u64x4 b) {
  u64x4 result = {};
  for (int i = 0; i < 4; ++i) {
    __extension__ using Wide = unsigned __int128;
    result[i] = static_cast<u64>(Wide{a[i]} * b[i] >> 64);
  }
  return result;
}
KERLAB_INLINE i64x4 multiply_high(i64x4 a, i64x4 b) {
  const u64x4 ua = as<u64x4>(a);
  const u64x4 ub = as<u64x4>(b);
  return as<i64x4>(multiply_high(ua, ub) - (ub & as<u64x4>(a < 0)) - (ua & as<u64x4>(b < 0)));
}
/// Whole products of 32-bit values.
KERLAB_INLINE u64x4 multiply_wide(u32x4 a, u32x4 b) {
  return multiply_low_halves(convert_to<u64x4>(a), convert_to<u64x4>(b));
}
KERLAB_INLINE i64x4 multiply_wide(i32x4 a, i32x4 b) {
#if defined(__AVX2__)
  return (i64x4)_mm256_mul_epi32((__m256i)convert_to<i64x4>(a), (__m256i)convert_to<i64x4>(b));
#else
  return convert_to<i64x4>(a) * convert_to<i64x4>(b);
#endif
}

/// Shifts by any unsigned amount: as PTX, those by the width or more give 0 (or the sign).
KERLAB_INLINE u32x8 shift_left(u32x8 value, u32x8 by) {
#if defined(__AVX2__)
  return (u32x8)_mm256_sllv_epi32((__m256i)value, (__m256i)by);
#else
  return (value << (by & 31u)) & as<u32x8>(by < 32u);
#endif
}
KERLAB_INLINE u32x8 shift_right(u32x8 value, u32x8 by) {
#if defined(__AVX2__)
  return (u32x8)_mm256_srlv_epi32((__m256i)value, (__m256i)by);
#else
  return (value >> (by & 31u)) & as<u32x8>(by < 32u);
#endif
}
KERLAB_INLINE i32x8 shift_right(i32x8 value, u32x8 by) {
#if defined(__AVX2__)
  return (i32x8)_mm256_srav_epi32((__m256i)value, (__m256i)by);
#else
  return value >> as<i32x8>(by < 32u ? by : broadcast<u32x8>(31u));
#endif
}
KERLAB_INLINE u64x4 shift_left(u64x4 value, u64x4 by) {
#if defined(__AVX2__)
  return (u64x4)_mm256_sllv_epi64((__m256i)value, (__m256i)by);
#else
  return (value << (by & 63u)) & as<u64x4>(by < 64u);
#endif
}
KERLAB_INLINE u64x4 shift_right(u64x4 value, u64x4 by) {
#if defined(__AVX2__)
  return (u64x4)_mm256_srlv_epi64((__m256i)value, (__m256i)by);
#else
  return (value >> (by & 63u)) & as<u64x4>(by < 64u);
#endif
}
KERLAB_INLINE i64x4 shift_right(i64x4 value, u64x4 by) {
  // AVX2 has no arithmetic shift of 64 bits: shift the complement of negative values, complement again.
  const u64x4 sign = as<u64x4>(value < 0);
  return as<i64x4>(shift_right(as<u64x4>(value) ^ sign, by) ^ sign);
}

/// Set bits, per lane (the sum in parallel of ever wider fields).
template <class V>
KERLAB_INLINE V count_bits(V x) {
  using E = Element<V>;
  constexpr E ones = static_cast<E>(~E{0});
  x = x - ((x >> 1) & (ones / 3));
  x = (x & (ones / 5)) + ((x >> 2) & (ones / 5));
  x = (x + (x >> 4)) & (ones / 17);
  return (x * (ones / 255)) >> (sizeof(E) * 8 - 8);
}
/// Zeros above the highest set bit; the width for 0.
template <class V>
KERLAB_INLINE V leading_zeros(V x) {
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  x |= x >> 16;
  if constexpr (sizeof(Element<V>) == 8) x |= x >> 32;
  return count_bits(~x);
}

template <class V>
KERLAB_INLINE V smaller(V a, V b) {
  return choose<V>(less(a, b), a, b);
}
template <class V>
KERLAB_INLINE V larger(V a, V b) {
  return choose<V>(less(b, a), a, b);
}

}  // namespace kerlab::emu::KERLAB_ISA
