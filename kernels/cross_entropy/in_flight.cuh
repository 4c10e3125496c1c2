#pragma once
// A thread's share of a row: chunks first, first + Stride, ... of it, UNROLL of them in flight.
#include "row_sums.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

template <int Stride> __device__ __forceinline__ RowSums own_sums(const DTYPE* row, int chunks, int first) {
  const Chunk* x = reinterpret_cast<const Chunk*>(row);
  RowSums own;
  int i = first;
  for (; i + (UNROLL - 1) * Stride < chunks; i += UNROLL * Stride) {
    Chunk held[UNROLL];
    float numbers[UNROLL * VEC];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) held[u] = x[i + u * Stride];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) held[u].each([&](int e, float value) { numbers[u * VEC + e] = value; });
    own.add(numbers);
  }
  Chunk held[UNROLL];  // what is left: fewer than UNROLL
#pragma unroll
  for (int u = 0; u < UNROLL - 1; ++u)
    if (i + u * Stride < chunks) held[u] = x[i + u * Stride];
#pragma unroll
  for (int u = 0; u < UNROLL - 1; ++u) {
    if (i + u * Stride >= chunks) continue;
    float numbers[VEC];
    held[u].each([&](int e, float value) { numbers[e] = value; });
    own.add(numbers);
  }
  return own;
}
