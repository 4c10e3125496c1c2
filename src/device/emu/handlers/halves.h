#pragma once
// f16 and bf16 as strips of f32: exact on the way in, rounded to nearest even on the way out.

#include "device/emu/handlers/float_values.h"

namespace kerlab::emu::KERLAB_ISA {

/// f16 in the low 16 bits of each lane -> f32. A NaN stays one.
KERLAB_INLINE f32x8 half_to_single(u32x8 half) {
  const u32x8 magnitude = half & 0x7fffu;
  // As the top bits of an f32 the exponent is too small by 112; the product puts subnormals right, too.
  const u32x8 scaled = as<u32x8>(as<f32x8>(magnitude << 13) * 0x1p112f);
  const u32x8 infinite = as<u32x8>(less(broadcast<i32x8>(0x7bff), as<i32x8>(magnitude))) & kSingleInfinity;
  return as<f32x8>(scaled | infinite | (half & 0x8000u) << 16);
}
/// f32 -> f16; NaN becomes 0x7fff.
KERLAB_INLINE u32x8 single_to_half(f32x8 value) {
  const u32x8 bits = as<u32x8>(value);
  const u32x8 magnitude = bits & 0x7fffffffu;
  // Below 2^-14, adding 0.5 rounds at 2^-24, the last place of subnormals.
  const u32x8 subnormal = as<u32x8>(as<f32x8>(magnitude) + 0.5f) - 0x3f000000u;
  const u32x8 normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const i32x8 m = as<i32x8>(magnitude);
  u32x8 half = choose<u32x8>(less(m, broadcast<i32x8>(0x38800000)), subnormal, normal);
  half = choose<u32x8>(less(broadcast<i32x8>(0x477fefff), m), broadcast<u32x8>(0x7c00u), half);  // rounds beyond 65504
  half |= (bits >> 16) & 0x8000u;
  return choose<u32x8>(less(broadcast<i32x8>(0x7f800000), m), broadcast<u32x8>(0x7fffu), half);
}
KERLAB_INLINE f32x8 bfloat_to_single(u32x8 bfloat) {
  return as<f32x8>(bfloat << 16);
}
KERLAB_INLINE u32x8 single_to_bfloat(f32x8 value) {
  const u32x8 bits = as<u32x8>(value);
  const u32x8 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return choose<u32x8>(is_nan(value), broadcast<u32x8>(0x7fffu), rounded);
}

/// The two 16-bit formats.
struct Half {
  static constexpr u32 kSmallestNormal = 0x0400u, kInfinity = 0x7c00u, kOne = 0x3c00u;
  static constexpr bool kHasFtzAndSat = true;  ///< its instructions have .ftz and .sat
  KERLAB_INLINE static f32x8 in(u32x8 bits) { return half_to_single(bits); }
  KERLAB_INLINE static u32x8 out(f32x8 value) { return single_to_half(value); }
  /// a * b + c rounded once. The product is exact in f32 (22 bits, within range). The f32 sum s may be inexact; its
  /// error e is exact (Knuth's TwoSum). Where e is not 0, s is moved to the neighbour with an odd last bit on the side
  /// of the true sum ("round to odd"): with 24 >= 11 + 2 bits, rounding that to f16 is rounding the true sum
  /// (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
  KERLAB_INLINE static f32x8 fused_exact(f32x8 a, f32x8 b, f32x8 c) {
    const f32x8 p = a * b;
    const f32x8 s = p + c;
    const f32x8 part = s - p;
    const f32x8 e = (p - (s - part)) + (c - part);
    const u32x8 bits = as<u32x8>(s);
    const i32x8 adjust = (less(e, f32x8{}) | less(f32x8{}, e)) & ((as<i32x8>(s) & 1) - 1);
    // 1 away from zero where error and sum have one sign, else -1.
    const u32x8 step = 1u - (((as<u32x8>(e) ^ bits) >> 31) << 1);
    return as<f32x8>(bits + (step & as<u32x8>(adjust)));
  }
};
struct Bfloat {
  static constexpr u32 kSmallestNormal = 0x0080u, kInfinity = 0x7f80u, kOne = 0x3f80u;
  static constexpr bool kHasFtzAndSat = false;
  KERLAB_INLINE static f32x8 in(u32x8 bits) { return bfloat_to_single(bits); }
  KERLAB_INLINE static u32x8 out(f32x8 value) { return single_to_bfloat(value); }
  /// a * b + c for four lanes, rounded to odd at 53 bits, then to odd at f32's 24: the product (16 bits, any exponent)
  /// is exact in f64, and so is the sum's error e. See Half::fused_exact.
  KERLAB_INLINE static f32x4 fused_odd(f32x4 a, f32x4 b, f32x4 c) {
    const f64x4 wide_c = convert_to<f64x4>(c);
    const f64x4 p = convert_to<f64x4>(a) * convert_to<f64x4>(b);
    const f64x4 s = p + wide_c;
    const f64x4 part = s - p;
    const f64x4 e = (p - (s - part)) + (wide_c - part);
    const i64x4 adjust = (less(e, f64x4{}) | less(f64x4{}, e)) & ((as<i64x4>(s) & 1) - 1);
    // 1 away from zero where error and sum have one sign, else -1.
    const u64x4 step = 1u - (((as<u64x4>(e) ^ as<u64x4>(s)) >> 63) << 1);
    const f64x4 odd = as<f64x4>(as<u64x4>(s) + (step & as<u64x4>(adjust)));
    const f32x4 narrow = convert_to<f32x4>(odd);
    const f64x4 back = convert_to<f64x4>(narrow);
    // Towards the true value where rounding to f32 left it, and to an odd last bit.
    const i32x4 changed = convert_to<i32x4>(less(back, odd) | less(odd, back)) & ((as<i32x4>(narrow) & 1) - 1);
    const f64x4 magnitude = as<f64x4>(as<u64x4>(odd) & ~kDoubleSign);
    const f64x4 magnitude_back = as<f64x4>(as<u64x4>(back) & ~kDoubleSign);
    const i32x4 outward = convert_to<i32x4>(less(magnitude_back, magnitude));
    const i32x4 move = (outward & 2) - 1;  // 1 outward (-1 & 2 = 2), -1 inward
    return as<f32x4>(as<i32x4>(narrow) + (move & changed));
  }
  KERLAB_INLINE static f32x8 fused_exact(f32x8 a, f32x8 b, f32x8 c) {
    f32x4 x[2];
    f32x4 y[2];
    f32x4 z[2];
    __builtin_memcpy(x, &a, sizeof a);
    __builtin_memcpy(y, &b, sizeof b);
    __builtin_memcpy(z, &c, sizeof c);
    const f32x4 result[2] = {fused_odd(x[0], y[0], z[0]), fused_odd(x[1], y[1], z[1])};
    __builtin_memcpy(&a, result, sizeof a);
    return a;
  }
};

/// .ftz for a format's values in f32.
template <class Format>
KERLAB_INLINE u32x8 flushed_half(u32x8 bits) {
  const i32x8 keep = less(broadcast<i32x8>(Format::kSmallestNormal - 1), as<i32x8>(bits & 0x7fffu));
  return bits & (as<u32x8>(keep) | 0x8000u);
}

}  // namespace kerlab::emu::KERLAB_ISA
