#pragma once
// What a group's byte stands for.
#include "common/elementwise/e2m1.cuh"
#include "common/elementwise/packet.cuh"

/// Of mxfp4 2^(b - 127): the exponent of an fp32, but for the smallest, which is subnormal, and NaN. Of nvfp4 an e4m3 times
/// `whole`, which others do not read.
__device__ __forceinline__ float factor_of(unsigned char b, float whole) {
  if constexpr (NV) return __fmul_rn(to_float(e4m3_t{b}), whole);
  return float_from_bits(b == 0 ? 0x00400000U : b == 255 ? 0x7fffffffU : static_cast<unsigned>(b) << 23);
}
