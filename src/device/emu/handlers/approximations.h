#pragma once
// Elementary functions on strips, more accurate than the GPU's (the bounds: an H200, largest error over 4 million
// random operands), but for tanh, whose error on a GPU matters: it is as large. Polynomials interpolate at Chebyshev
// nodes. Products and sums are not fused, so that the plain build gives the same bits.

#include "device/emu/handlers/float_values.h"

namespace kerlab::emu::KERLAB_ISA {

KERLAB_INLINE f32x8 square_root(f32x8 x) {
#if defined(__AVX__)
  return (f32x8)_mm256_sqrt_ps((__m256)x);
#else
  f32x8 result = {};
  for (int i = 0; i < 8; ++i) result[i] = _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x[i])));
  return result;
#endif
}
KERLAB_INLINE f64x4 square_root(f64x4 x) {
#if defined(__AVX__)
  return (f64x4)_mm256_sqrt_pd((__m256d)x);
#else
  f64x4 result = {};
  for (int i = 0; i < 4; ++i) result[i] = _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x[i])));
  return result;
#endif
}

/// c0 + x (c1 + x (c2 + ...)).
template <class V, class... Rest>
KERLAB_INLINE V polynomial(V x, double c0, Rest... rest) {
  const V constant = broadcast<V>(c0);
  if constexpr (sizeof...(rest) == 0) {
    return constant;
  } else {
    return constant + x * polynomial(x, rest...);
  }
}

/// 2^x. The fraction's polynomial is off by 2^-26.9; with rounding the result is within 2^-23.3 of the truth, relative
/// (H200: 2^-22.7). Exact for integers.
KERLAB_INLINE f32x8 exp2_of(f32x8 x) {
  const f32x8 high = broadcast<f32x8>(130.0f);  // beyond, the result is infinity; below -160 it is 0. NaN stays
  const f32x8 low = broadcast<f32x8>(-160.0f);
  x = choose<f32x8>(less(high, x), high, x);
  x = choose<f32x8>(less(x, low), low, x);
  const f32x8 shifter = broadcast<f32x8>(0x1.8p23f);
  const f32x8 shifted = x + shifter;  // the last place is 1: rounded to an integer
  const f32x8 f = x - (shifted - shifter);
  const i32x8 n = as<i32x8>(as<u32x8>(shifted) - as<u32x8>(shifter));
  const f32x8 p = 1.0f + f * polynomial(f, 0x1.62e4302fc626ep-1, 0x1.ebfbe00e63baep-3, 0x1.c6af6cdbbdcc7p-5,
                                        0x1.3b2a53045179ap-7, 0x1.5f0890162a90ap-10, 0x1.4413896e1ad27p-13);
  // In two steps: half the exponent is exact, the rest rounds once, to a subnormal too.
  const i32x8 half = n >> 1;
  const f32x8 first = as<f32x8>(as<u32x8>(half + 127) << 23);
  const f32x8 second = as<f32x8>(as<u32x8>(n - half + 127) << 23);
  return p * first * second;
}

/// log2 x. Off by 2^-23.4 at most in [0.5, 2], absolute (H200: 2^-22.1).
KERLAB_INLINE f32x8 log2_of(f32x8 x) {
  const i32x8 tiny = less(x, broadcast<f32x8>(0x1p-126f));
  const f32x8 scaled = choose<f32x8>(tiny, x * 0x1p24f, x);
  // The significand in [sqrt(1/2), sqrt(2)): its exponent is what is above sqrt(1/2)'s bits.
  const u32x8 above = as<u32x8>(scaled) - 0x3f3504f3u;
  const i32x8 exponent = as<i32x8>(above) >> 23;
  const f32x8 f = as<f32x8>((above & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  const f32x8 e = convert_to<f32x8>(exponent + (tiny & -24));
  const f32x8 p = polynomial(f, 0x1.7154764ee5de8p+0, -0x1.715470c116066p-1, 0x1.ec70a965f253ap-2,
                             -0x1.715a6f2b5fc6ap-2, 0x1.277a529a342d2p-2, -0x1.eab7a9bba9285p-3, 0x1.a38c680c9e4edp-3,
                             -0x1.87f6a111824a5p-3, 0x1.7a63a0350f8a8p-3, -0x1.b84fb63e54242p-4);
  f32x8 result = e + f * p;
  const f32x8 infinity = as<f32x8>(broadcast<u32x8>(kSingleInfinity));
  result = choose<f32x8>(equal(x, infinity), infinity, result);
  result = choose<f32x8>(equal(x, f32x8{}), -infinity, result);
  // Negative or NaN: not greater or equal 0.
  return choose<f32x8>(less_equal(f32x8{}, x), result, as<f32x8>(broadcast<u32x8>(kSingleNaN)));
}

/// sin (quarter = 0) or cos (quarter = 1) of four values. In f64: the quarter turns t = x 2/pi are off by |t| 2^-53,
/// so that even for |x| = 2^25 the error is below that of the rounding to f32 (H200: 2^-21.4 in [-pi, pi], nothing
/// promised far from it). Beyond 2^51 quarter turns the angle counts as 0.
KERLAB_INLINE f32x4 sine_of(f32x4 single, u64 quarter) {
  const f64x4 x = convert_to<f64x4>(single);
  const f64x4 turns = x * 0x1.45f306dc9c883p-1;
  const f64x4 shifter = broadcast<f64x4>(0x1.8p52);
  const f64x4 limit = broadcast<f64x4>(0x1p51);
  const i64x4 within = less(turns, limit) & less(-limit, turns);
  const f64x4 t = as<f64x4>(as<i64x4>(turns) & within);
  const f64x4 shifted = t + shifter;
  const f64x4 r = t - (shifted - shifter);
  const u64x4 n = as<u64x4>(shifted) + quarter;
  const f64x4 z = r * r;
  const f64x4 sine = r * polynomial(z, 0x1.921fb5443b587p+0, -0x1.4abbce56ae6e6p-1, 0x1.466bbac8a54e8p-4,
                                    -0x1.32ca9d79fc665p-8, 0x1.4bc85ccb213adp-13);
  const f64x4 cosine = polynomial(z, 1.0, -0x1.3bd3cc9bd2c35p+0, 0x1.03c1f074ded21p-2, -0x1.55d3ba300cd50p-6,
                                  0x1.e1e7ccccb387ap-11, -0x1.a0ee132c60c1fp-16);
  const f64x4 chosen = choose<f64x4>(as<i64x4>(u64x4{} - (n & 1u)), cosine, sine);
  const f64x4 signed_result = as<f64x4>(as<u64x4>(chosen) ^ ((n & 2u) << 62));
  return convert_to<f32x4>(signed_result * (1.0 + (x - x)));  // NaN for infinity and NaN
}
template <u64 quarter>
KERLAB_INLINE f32x8 sine_of(f32x8 x) {
  f32x4 half[2];
  __builtin_memcpy(half, &x, sizeof x);
  const f32x4 result[2] = {sine_of(half[0], quarter), sine_of(half[1], quarter)};
  __builtin_memcpy(&x, result, sizeof x);
  return x;
}

/// How far an H200's tanh is from the truth, relative, at most, a = |x|: 2^-16.6 from 2^-7.6 on to 1, from there on
/// less by 2^-(a - 1); below, where it gives x back, a^2 / 3. Which part of that, of either sign, the operand's bits
/// tell.
KERLAB_INLINE f32x8 tanh_error_of(f32x8 a) {
  const f32x8 one = broadcast<f32x8>(1.0f), most = broadcast<f32x8>(24.0f);
  f32x8 beyond = choose<f32x8>(less(one, a), a, one) - one;
  beyond = choose<f32x8>(less(beyond, most), beyond, most);
  // 2^-beyond, as far as bits tell it: between two powers it is a straight line.
  const f32x8 falling = as<f32x8>(0x3f800000u - as<u32x8>(as<i32x8>(convert_to<i32x8>(beyond * 0x1p23f))));
  f32x8 rising = a * a * 0x1.0p15f;
  rising = choose<f32x8>(less(rising, one), rising, one);
  u32x8 bits = (as<u32x8>(a) >> 6) * 0x9e3779b1u;
  bits = (bits ^ bits >> 15) * 0x85ebca77u;
  const f32x8 part = convert_to<f32x8>(as<i32x8>(bits ^ bits >> 13)) * 0x1p-31f;
  return part * falling * rising * 0x1.55p-17f;
}

/// tanh x, with an H200's error: within 2^-16.5 in [-5, 5].
KERLAB_INLINE f32x8 tanh_of(f32x8 x) {
  const u32x8 sign = as<u32x8>(x) & kSingleSign;
  const f32x8 a = as<f32x8>(as<u32x8>(x) & ~kSingleSign);
  const f32x8 z = a * a;
  const f32x8 small = a + a * z *
                              polynomial(z, -0x1.5555530b836e7p-2, 0x1.110ea4bdeb9eap-3, -0x1.b946c2e65fa60p-5,
                                         0x1.59485f1ba893dp-6, -0x1.971e61d56a7bap-8);
  const f32x8 large = 1.0f - 2.0f / (exp2_of(a * 0x1.715476p+1f) + 1.0f);  // e^2a = 2^(a 2 / ln 2)
  const f32x8 exact = choose<f32x8>(less(a, broadcast<f32x8>(0.6f)), small, large);
  const f32x8 near = exact + exact * tanh_error_of(a);
  const f32x8 one = broadcast<f32x8>(1.0f);
  const f32x8 result = choose<f32x8>(less(one, near), one, near);  // NaN stays
  return as<f32x8>(as<u32x8>(result) | sign);
}

}  // namespace kerlab::emu::KERLAB_ISA
