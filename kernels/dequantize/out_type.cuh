#pragma once
// The type of Y, by the family's OUT; that of scales, and what they are.
#include "common/elementwise/packet.cuh"

template <int> struct TypeOf { using Type = bf16_t; };
template <> struct TypeOf<1> { using Type = fp16_t; };
template <> struct TypeOf<2> { using Type = float; };
using Out = TypeOf<OUT>::Type;

constexpr int kGroup = GROUP ? GROUP : 128;  // columns; where a row is a group nobody asks

template <bool> struct ScaleOf { using Type = float; };
template <> struct ScaleOf<true> { using Type = unsigned char; };  // E8M0
using Scale = ScaleOf<MX != 0>::Type;

__device__ __forceinline__ float number_of(float scale) { return scale; }
/// 2^(b - 127): the exponent of an fp32, but for the smallest, which is subnormal, and NaN.
__device__ __forceinline__ float number_of(unsigned char b) {
  return float_from_bits(b == 0 ? 0x00400000U : b == 255 ? 0x7fffffffU : static_cast<unsigned>(b) << 23);
}
