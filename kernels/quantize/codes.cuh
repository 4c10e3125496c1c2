#pragma once
// What all rungs share: the codes' type by the family's OUT, the scale of a group, and the codes of numbers.
#include "common/elementwise/packet.cuh"

template <int> struct TypeOf { using Type = int8_t; };
template <> struct TypeOf<1> { using Type = e4m3_t; };
template <> struct TypeOf<2> { using Type = e5m2_t; };
using Code = TypeOf<OUT>::Type;

template <bool> struct ScaleOf { using Type = float; };
template <> struct ScaleOf<true> { using Type = unsigned char; };  // E8M0: exponent + 127
using Scale = ScaleOf<MX != 0>::Type;

constexpr float kLargest = OUT == 0 ? 127.0f : OUT == 1 ? 448.0f : 57344.0f;
constexpr float kLeast = 7.888609052210118e-31f;  // 2^-100: what is below has no reciprocal to spare

__device__ __forceinline__ float magnitude(float x) { return float_from_bits(bits_from_float(x) & 0x7fffffffU); }

/// The larger of two magnitudes. As integers they have the same order, and NaN is above infinity: it is not lost, as it
/// would be by fmaxf.
struct LargerMagnitude {
  __device__ __forceinline__ float operator()(float a, float b) const {
    const unsigned x = bits_from_float(a), y = bits_from_float(b);
    return float_from_bits(x > y ? x : y);
  }
};

/// Of a group with this largest magnitude: its scale, and what its numbers are multiplied by. Two divisions: the
/// reciprocal of the rounded scale would round twice.
struct Scaling {
  Scale scale;
  float factor;
};
/// Of mx: the exponent of amax is a field of its bits, and 2^-e is one.
__device__ __forceinline__ Scaling power_of_two(float amax) {
  const unsigned bits = bits_from_float(amax);
  constexpr unsigned kMost = OUT == 1 ? 8 : 15;  // exponent of the largest code
  if (bits >= 0x7f800000U) return {static_cast<Scale>(255), float_from_bits(0x7fffffffU)};
  const unsigned field = bits >> 23 < kMost ? 0 : (bits >> 23) - kMost;
  return {static_cast<Scale>(field), float_from_bits((254 - field) << 23)};
}
__device__ __forceinline__ Scaling scaling_of(float amax) {
  if constexpr (MX) return power_of_two(amax);
  const float size = LargerMagnitude()(amax, kLeast);
  return {static_cast<Scale>(__fdiv_rn(size, kLargest)), __fdiv_rn(kLargest, size)};
}

/// |x factor| is never more than an ulp above the largest code, which rounds to it: nothing has to be clamped. Of mx it
/// may be, and the conversion to fp8 saturates. NaN becomes 0 in int8 (PTX ISA, cvt).
__device__ __forceinline__ int8_t rounded(float scaled, int8_t) { return static_cast<int8_t>(__float2int_rn(scaled)); }
template <typename Fp8> __device__ __forceinline__ Fp8 rounded(float scaled, Fp8) { return from_float<Fp8>(scaled); }
__device__ __forceinline__ Code code_of(float scaled) { return rounded(scaled, Code()); }

/// Four codes, the first in the lowest byte.
__device__ __forceinline__ unsigned word_of_codes(const float* x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  if constexpr (OUT != 0) {
    unsigned short low, high;
    if constexpr (OUT == 1) {
      asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(low) : "f"(x[1]), "f"(x[0]));
      asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(high) : "f"(x[3]), "f"(x[2]));
    } else {
      asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(low) : "f"(x[1]), "f"(x[0]));
      asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(high) : "f"(x[3]), "f"(x[2]));
    }
    unsigned word;
    asm("mov.b32 %0, {%1, %2};" : "=r"(word) : "h"(low), "h"(high));
    return word;
  }
#endif
  unsigned bytes[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) bytes[e] = __builtin_bit_cast(unsigned char, code_of(x[e]));
  return __byte_perm(__byte_perm(bytes[0], bytes[1], 0x0040), __byte_perm(bytes[2], bytes[3], 0x0040), 0x5410);
}

/// The codes of a packet's numbers.
template <int N> __device__ __forceinline__ Packet<Code, N> codes_of(const float (&scaled)[N]) {
  Packet<Code, N> packet;
  if constexpr (N % 4 == 0) {
#pragma unroll
    for (int w = 0; w < N / 4; ++w) packet.words[w] = word_of_codes(scaled + 4 * w);
  } else {
#pragma unroll
    for (int e = 0; e < N; ++e) packet.at[e] = code_of(scaled[e]);
  }
  return packet;
}
