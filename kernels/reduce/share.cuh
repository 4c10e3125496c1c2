#pragma once
// What a thread of a grid that strides over X has. The includer defines THREADS, VEC, UNROLL and INDEX.
#include "operation.cuh"

using Several = Vector<DTYPE, VEC>;

__device__ __forceinline__ Number joined(const Several& several, Number own) {
#pragma unroll
  for (int e = 0; e < VEC; ++e) own = combine(own, number_of(several.at[e]));
  return own;
}

/// UNROLL accesses are on their way at once, and have a result each.
__device__ __forceinline__ Number own_share(const DTYPE* X, INDEX N) {
  const auto* x = reinterpret_cast<const Several*>(X);
  const long long accesses = N / VEC;
  constexpr long long kTile = static_cast<long long>(THREADS) * UNROLL;
  Number own[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) own[u] = nothing();
  long long i = blockIdx.x * kTile + threadIdx.x;
  for (; i + kTile - THREADS < accesses; i += gridDim.x * kTile) {
    Several held[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) held[u] = x[i + u * THREADS];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) own[u] = joined(held[u], own[u]);
  }
  // At most one tile hangs over the end for each thread.
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    if (i + u * THREADS < accesses) own[u] = joined(x[i + u * THREADS], own[u]);
#pragma unroll
  for (int u = 1; u < UNROLL; ++u) own[0] = combine(own[0], own[u]);
  const long long rest = accesses * VEC + threadIdx.x;
  if (blockIdx.x == 0 && rest < N) own[0] = combine(own[0], number_of(X[rest]));
  return own[0];
}
