#pragma once
// VEC neighbouring columns of B and C, a thread's: added up in fp32.
#include "common/elementwise/packet.cuh"

using Piece = Packet<DTYPE, VEC>;

/// sums += value times VEC numbers of a row of B.
__device__ __forceinline__ void add_product(float (&sums)[VEC], float value, const DTYPE* __restrict__ from) {
  const Piece piece = *reinterpret_cast<const Piece*>(from);
  float x[VEC];
  unpack(piece, x);
#pragma unroll
  for (int v = 0; v < VEC; ++v) sums[v] += value * x[v];
}

__device__ __forceinline__ void store(DTYPE* to, const float (&sums)[VEC]) {
  *reinterpret_cast<Piece*>(to) = packet_of<DTYPE, VEC>(sums);
}
