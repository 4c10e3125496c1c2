#pragma once
// Arithmetic that row kernels share. Every function is one thread's own.
#include "common/types.cuh"

constexpr float kLog2e = 1.4426950408889634f;

__device__ __forceinline__ float infinity() { return float_from_bits(0x7f800000U); }

/// 2^x, within 2 ulp, subnormal results too. PTX ISA, "ex2".
__device__ __forceinline__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// exp(x - largest). The difference comes first: x log2(e) of a large x would lose the digits that the difference needs.
__device__ __forceinline__ float exp_below(float x, float largest) { return exp2_fast((x - largest) * kLog2e); }

/// 1 / sqrt(x), within 1 ulp.
__device__ __forceinline__ float rsqrt_fast(float x) {
  float y;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Two numbers, each rounded once, in the 32 bits that hold them in memory: `low` at the lower address.
template <typename T> __device__ __forceinline__ unsigned int pack_pair(float low, float high);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <> __device__ __forceinline__ unsigned int pack_pair<bf16_t>(float low, float high) {
  unsigned int both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
template <> __device__ __forceinline__ unsigned int pack_pair<fp16_t>(float low, float high) {
  unsigned int both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
#else
template <typename T> __device__ __forceinline__ unsigned int pack_pair(float low, float high) {
  return from_float<T>(low).bits | static_cast<unsigned int>(from_float<T>(high).bits) << 16;
}
#endif
