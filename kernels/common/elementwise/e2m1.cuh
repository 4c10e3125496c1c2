#pragma once
// E2M1, the 4 bits of MXFP4 and NVFP4 (OCP Microscaling 1.0): a sign, two bits of exponent, one of fraction. Magnitudes 0,
// 0.5, 1, 1.5, 2, 3, 4, 6 are the codes 0 to 7; the sign is bit 3. No infinity, no NaN. Two codes to a byte, the one of the
// lower address in the lower half. sm_100 converts by one instruction, older ones by these few.
#include "common/types.cuh"

constexpr unsigned kCodesBegin = 0x4b000000U;  // 2^23, whose last bit is worth 1

/// 2^23 + the code of a magnitude, to nearest, ties to even; what is beyond 6 becomes 6 (and NaN).
///
/// Codes are magnitudes on a bent axis: 2 x up to 2, x + 2 up to 4, x / 2 + 4 beyond, always the least of the three. Each of
/// them is rounded to an integer once, by the addition to 2^23; what is added to x is even, so that ties stay ties to even.
__device__ __forceinline__ float e2m1_place(float size) {
  const float below_2 = fmaf(size, 2.0f, 8388608.0f), below_4 = size + 8388610.0f, beyond = fmaf(size, 0.5f, 8388612.0f);
  return fminf(fminf(below_2, below_4), fminf(beyond, 8388615.0f));
}

/// The code of a number.
__device__ __forceinline__ unsigned e2m1_of(float x) {
  const unsigned bits = bits_from_float(x);
  return (bits_from_float(e2m1_place(float_from_bits(bits & 0x7fffffffU))) - kCodesBegin) | (bits >> 28 & 8U);
}

/// What a code stands for: as an fp16 its three bits are exponent and fraction, 2^14 times too small.
__device__ __forceinline__ float float_from_e2m1(unsigned code) {
  return float_from_half_bits(static_cast<unsigned short>((code & 8U) << 12 | (code & 7U) << 9)) * 16384.0f;
}
