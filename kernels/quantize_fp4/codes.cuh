#pragma once
// What all rungs share: the scale of a group, and the codes of its numbers. Definitions: family.toml.
#include "common/elementwise/e2m1.cuh"

constexpr float kLeast = 7.888609052210118e-31f;   // 2^-100
constexpr float kSmallest = 1.1754944e-38f;        // 2^-126
constexpr float kMost = 2688.0f;                   // 6 * 448: what T is the share of

__device__ __forceinline__ float magnitude(float x) { return float_from_bits(bits_from_float(x) & 0x7fffffffU); }

/// The larger of two magnitudes; NaN if one is NaN, which fmaxf would lose.
struct LargerMagnitude {
  __device__ __forceinline__ float operator()(float a, float b) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
    return larger;
#else  // as integers they have the same order, and NaN is above infinity
    const unsigned x = bits_from_float(a), y = bits_from_float(b);
    return float_from_bits(x > y ? x : y);
#endif
  }
};

/// Of everything: T, and its reciprocal, each by a division of its own.
struct Whole {
  float step = 1, inverse = 1;
};
__device__ __forceinline__ Whole whole_of(float amax) {
  const float size = LargerMagnitude()(amax, kLeast);
  return {__fdiv_rn(size, kMost), __fdiv_rn(kMost, size)};
}

/// Of a group: its scale as it is stored, and what its numbers are multiplied by. A factor of 0: all codes are 0, whatever
/// the numbers are.
struct Scaling {
  unsigned char stored;
  float factor;
};
__device__ __forceinline__ Scaling scaling_of(float amax, Whole whole) {
  if constexpr (NV) {
    const float part = __fmul_rn(__fdiv_rn(amax, 6.0f), whole.inverse);
    const e4m3_t stored = part != part ? e4m3_t{0x7f} : from_float<e4m3_t>(part);
    const float step = __fmul_rn(to_float(stored), whole.step);
    return {stored.bits, step >= kSmallest ? __fdiv_rn(1.0f, step) : 0.0f};  // NaN is not above it
  } else {
    const unsigned bits = bits_from_float(amax);
    if (bits >= 0x7f800000U) return {255, 0.0f};
    const unsigned field = bits >> 23 < 2 ? 0 : (bits >> 23) - 2;
    return {static_cast<unsigned char>(field), float_from_bits((254 - field) << 23)};
  }
}

/// An infinite or NaN number has a factor of 0: their product is NaN, whose code is not 0.
__device__ __forceinline__ unsigned code_of(float x, float factor) { return factor == 0.0f ? 0 : e2m1_of(x * factor); }
