#pragma once
// The product of two rows by LANES neighbouring lanes of a warp, VEC numbers a load: added up in fp32.
#include "common/elementwise/packet.cuh"

using Piece = Packet<DTYPE, VEC>;

__device__ __forceinline__ float dot(const DTYPE* __restrict__ a, const DTYPE* __restrict__ b, int K, int lane) {
  float sum = 0;
#pragma unroll 2
  for (int k = lane * VEC; k < K; k += LANES * VEC) {
    const Piece from_a = *reinterpret_cast<const Piece*>(a + k), from_b = *reinterpret_cast<const Piece*>(b + k);
    float x[VEC], y[VEC];
    unpack(from_a, x);
    unpack(from_b, y);
#pragma unroll
    for (int v = 0; v < VEC; ++v) sum += x[v] * y[v];
  }
#pragma unroll
  for (int apart = LANES / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, apart, LANES);
  return sum;
}
