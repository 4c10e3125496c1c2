#pragma once
// Codes as fp32. Two of an fp8 type become two halves by one instruction (PTX ISA, cvt, sm_89); what is narrower than a
// register goes one by one.
#include "out_type.cuh"

__device__ __forceinline__ void floats_of_half_pair(unsigned halves, float* x) {
  x[0] = float_from_half_bits(static_cast<unsigned short>(halves));
  x[1] = float_from_half_bits(static_cast<unsigned short>(halves >> 16));
}

/// The four codes of a register.
template <typename Code> __device__ __forceinline__ void floats_of_word(unsigned word, float* x, Code) {
  floats_of(word, x, Code());
}
#if __CUDA_ARCH__ >= 890
__device__ __forceinline__ void floats_of_word(unsigned word, float* x, e4m3_t) {
  unsigned low, high;
  asm("{ .reg .b16 a, b; mov.b32 {a, b}, %2; cvt.rn.f16x2.e4m3x2 %0, a; cvt.rn.f16x2.e4m3x2 %1, b; }"
      : "=r"(low), "=r"(high)
      : "r"(word));
  floats_of_half_pair(low, x);
  floats_of_half_pair(high, x + 2);
}
#endif
/// An e5m2 is the upper half of an fp16: byte permutations put it there.
__device__ __forceinline__ void floats_of_word(unsigned word, float* x, e5m2_t) {
  floats_of_half_pair(__byte_perm(word, 0, 0x1404), x);
  floats_of_half_pair(__byte_perm(word, 0, 0x3424), x + 2);
}

template <int N> __device__ __forceinline__ void floats_of_codes(const Packet<DTYPE, N>& packet, float (&x)[N]) {
  if constexpr (N % 4 == 0) {
#pragma unroll
    for (int w = 0; w < N / 4; ++w) floats_of_word(packet.words[w], x + 4 * w, DTYPE());
  } else {
    unpack(packet, x);
  }
}
