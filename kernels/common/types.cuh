#pragma once
// Number types for kernels compiled by NVRTC without any CUDA header. DTYPE is defined to one of these per problem.
// Kernels compute in fp32 (or ACC): to_float(x) reads a value, from_float<DTYPE>(f) rounds once, to nearest even.
// Everything here parses in about a millisecond; cuda_fp16.h and cuda_bf16.h would cost ten times that.

using fp64_t = double;
using fp32_t = float;
struct tf32_t { float value; };           // an fp32 of which the tensor core reads 19 bits
struct bf16_t { unsigned short bits; };
struct fp16_t { unsigned short bits; };
struct e4m3_t { unsigned char bits; };
struct e5m2_t { unsigned char bits; };

#ifdef __CUDACC_RTC__  // NVRTC has no <stdint.h>
using int64_t = long long;
using int32_t = int;
using int8_t = signed char;
using uint64_t = unsigned long long;
using uint32_t = unsigned int;
using uint16_t = unsigned short;
using uint8_t = unsigned char;
#else
#include <stdint.h>
#endif

#ifndef KERLAB_ON_CPU  // who runs kernels on a CPU brings these four along
__device__ __forceinline__ float float_from_half_bits(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
__device__ __forceinline__ unsigned short half_bits_from_float(float value) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
__device__ __forceinline__ float float_from_bits(unsigned int bits) { return __uint_as_float(bits); }
__device__ __forceinline__ unsigned int bits_from_float(float value) { return __float_as_uint(value); }
#endif

__device__ __forceinline__ unsigned short bfloat_bits_from_float(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  const unsigned int bits = bits_from_float(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return 0x7fff;  // NaN, as the instruction makes it
  return static_cast<unsigned short>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
#endif
}

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(double x) { return static_cast<float>(x); }
__device__ __forceinline__ float to_float(tf32_t x) { return x.value; }
__device__ __forceinline__ float to_float(fp16_t x) { return float_from_half_bits(x.bits); }
__device__ __forceinline__ float to_float(bf16_t x) { return float_from_bits(static_cast<unsigned int>(x.bits) << 16); }
/// The exponent and fraction of an e4m3 are those of an fp16 2^8 times smaller; an e5m2 is the upper half of an fp16.
__device__ __forceinline__ float to_float(e4m3_t x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  unsigned int two;  // halves
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(two) : "h"(static_cast<unsigned short>(x.bits)));
  return float_from_half_bits(static_cast<unsigned short>(two));
#else
  if ((x.bits & 0x7f) == 0x7f) return float_from_bits(0x7fffffffU);  // the only NaN
  return float_from_half_bits(static_cast<unsigned short>((x.bits & 0x80) << 8 | (x.bits & 0x7f) << 7)) * 256.0f;
#endif
}
__device__ __forceinline__ float to_float(e5m2_t x) {
  return float_from_half_bits(static_cast<unsigned short>(x.bits << 8));
}

template <typename T> __device__ __forceinline__ T from_float(float f);
template <> __device__ __forceinline__ float from_float<float>(float f) { return f; }
template <> __device__ __forceinline__ double from_float<double>(float f) { return f; }
template <> __device__ __forceinline__ tf32_t from_float<tf32_t>(float f) {
  const unsigned int bits = bits_from_float(f);
  if ((bits & 0x7f800000U) == 0x7f800000U) return {f};  // infinity, NaN
  return {float_from_bits((bits + 0xfffU + ((bits >> 13) & 1U)) & ~0x1fffU)};
}
template <> __device__ __forceinline__ fp16_t from_float<fp16_t>(float f) { return {half_bits_from_float(f)}; }
template <> __device__ __forceinline__ bf16_t from_float<bf16_t>(float f) { return {bfloat_bits_from_float(f)}; }

/// Bits of an fp8 type by hand, rounded once, to nearest even: FRACTION bits of it, MINIMUM exponent of a normal number.
/// What is larger than `largest`, infinity included, becomes `largest`, as the instruction has it.
template <int FRACTION, int MINIMUM>
__device__ __forceinline__ unsigned char fp8_bits_from_float(float f, unsigned int largest) {
  const unsigned int bits = bits_from_float(f);
  const unsigned int sign = bits >> 24 & 0x80U;
  const unsigned int size = bits & 0x7fffffffU;
  if (size > 0x7f800000U) return 0x7f;
  constexpr unsigned int kSmallest = 127 + MINIMUM;  // exponent of the smallest normal number, as an fp32 has it
  unsigned int rounded;
  if (size < kSmallest << 23) {  // subnormal: added to a number whose last bit is worth as much as its own
    const unsigned int magic = (kSmallest - FRACTION + 23) << 23;
    rounded = bits_from_float(float_from_bits(size) + float_from_bits(magic)) - magic;
  } else {
    constexpr int kCut = 23 - FRACTION;
    rounded = ((size + (1U << (kCut - 1)) - 1 + (size >> kCut & 1U)) >> kCut) - ((kSmallest - 1) << FRACTION);
  }
  return static_cast<unsigned char>(sign | (rounded < largest ? rounded : largest));
}
template <> __device__ __forceinline__ e4m3_t from_float<e4m3_t>(float f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  unsigned short two;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(two) : "f"(0.0f), "f"(f));
  return {static_cast<unsigned char>(two)};
#else
  return {fp8_bits_from_float<3, -6>(f, 0x7e)};
#endif
}
template <> __device__ __forceinline__ e5m2_t from_float<e5m2_t>(float f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  unsigned short two;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(two) : "f"(0.0f), "f"(f));
  return {static_cast<unsigned char>(two)};
#else
  return {fp8_bits_from_float<2, -14>(f, 0x7b)};
#endif
}

/// N values that move in one instruction of N * sizeof(T) bytes (at most 16). Address it only where
/// `is_aligned_for` says so.
template <typename T, int N> struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Vector { T at[N]; };

/// As Vector, to be loaded and kept for a while: 16-bit types lie two to a register here, whereas the compiler gives
/// every element of a Vector one of its own.
template <typename T, int N> struct alignas(sizeof(T) * N) Packed {
  unsigned int words[N * sizeof(T) / 4];
  __device__ __forceinline__ T get(int e) const {
    if constexpr (sizeof(T) == 4) return from_float<T>(float_from_bits(words[e]));
    else return {static_cast<unsigned short>(words[e / 2] >> (e % 2 * 16))};
  }
};

template <typename Wide> __device__ __forceinline__ bool is_aligned_for(const void* pointer) {
  return reinterpret_cast<unsigned long long>(pointer) % alignof(Wide) == 0;
}
