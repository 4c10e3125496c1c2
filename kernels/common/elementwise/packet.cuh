#pragma once
// N elements that move in one access of N * sizeof(T) bytes (at most 16), and what they are as fp32. 16-bit and 8-bit
// types lie several to a register; two of them are converted by one instruction where there is one (PTX ISA, cvt).
#include "common/types.cuh"

/// Several to a register (PACKED), or less than a register: one by one.
template <typename T, int N, bool PACKED = (sizeof(T) < 4 && sizeof(T) * N >= 4)>
struct alignas(sizeof(T) * N) Packet {
  T at[N];
};
template <typename T, int N>
struct alignas(sizeof(T) * N) Packet<T, N, true> {
  unsigned words[sizeof(T) * N / 4];
};

__device__ __forceinline__ float to_float(int8_t x) { return static_cast<float>(x); }

/// Rounded to the nearest, ties to even; beyond the range its ends -127 and 127, of NaN 0.
template <>
__device__ __forceinline__ int8_t from_float<int8_t>(float f) {
  return static_cast<int8_t>(__float2int_rn(f != f ? 0.0f : fminf(fmaxf(f, -127.0f), 127.0f)));
}

/// The elements of a register, in order of their addresses.
__device__ __forceinline__ void floats_of(unsigned word, float* x, bf16_t) {
  asm("shl.b32 %0, %1, 16;" : "=f"(x[0]) : "r"(word));
  asm("and.b32 %0, %1, 0xffff0000;" : "=f"(x[1]) : "r"(word));
}
__device__ __forceinline__ void floats_of(unsigned word, float* x, fp16_t) {
  asm("{ .reg .b16 low, high; mov.b32 {low, high}, %2; cvt.f32.f16 %0, low; cvt.f32.f16 %1, high; }"
      : "=f"(x[0]), "=f"(x[1])
      : "r"(word));
}
template <typename T>
__device__ __forceinline__ void floats_of(unsigned word, float* x, T) {  // 8 bits
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    if constexpr (sizeof(T) == 1) {
      const auto bits = static_cast<unsigned char>(word >> (8 * e));
      x[e] = to_float(__builtin_bit_cast(T, bits));
    }
  }
}

/// The register that holds x[0], x[1] (16 bits) or x[0..3] (8 bits), each rounded once.
template <typename T>
__device__ __forceinline__ unsigned word_of(const float* x, T) {
  unsigned word = 0;
#pragma unroll
  for (int e = 0; e < 4 / static_cast<int>(sizeof(T)); ++e) {
    const T rounded = from_float<T>(x[e]);
    if constexpr (sizeof(T) == 2) word |= static_cast<unsigned>(__builtin_bit_cast(unsigned short, rounded)) << 16 * e;
    else word |= static_cast<unsigned>(__builtin_bit_cast(unsigned char, rounded)) << 8 * e;
  }
  return word;
}
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ unsigned word_of(const float* x, bf16_t) {
  unsigned word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(x[1]), "f"(x[0]));
  return word;
}
__device__ __forceinline__ unsigned word_of(const float* x, fp16_t) {
  unsigned word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(x[1]), "f"(x[0]));
  return word;
}
#endif

template <typename T, int N>
__device__ __forceinline__ void unpack(const Packet<T, N>& packet, float (&x)[N]) {
  if constexpr (sizeof(T) < 4 && sizeof(T) * N >= 4) {
    constexpr int kInWord = 4 / sizeof(T);
#pragma unroll
    for (int w = 0; w < N / kInWord; ++w) floats_of(packet.words[w], x + kInWord * w, T());
  } else {
#pragma unroll
    for (int e = 0; e < N; ++e) x[e] = to_float(packet.at[e]);
  }
}

/// Rounds every element once, to nearest even.
template <typename T, int N>
__device__ __forceinline__ Packet<T, N> packet_of(const float (&x)[N]) {
  Packet<T, N> packet;
  if constexpr (sizeof(T) < 4 && sizeof(T) * N >= 4) {
    constexpr int kInWord = 4 / sizeof(T);
#pragma unroll
    for (int w = 0; w < N / kInWord; ++w) packet.words[w] = word_of(x + kInWord * w, T());
  } else {
#pragma unroll
    for (int e = 0; e < N; ++e) packet.at[e] = from_float<T>(x[e]);
  }
  return packet;
}
