#pragma once
// What a block adds up of x y, in a fixed order. The includer defines THREADS, VEC and UNROLL.
#include "common/elementwise/packet.cuh"

/// The block's sum, in thread 0. May be called again after a barrier.
__device__ __forceinline__ float over_block(float own) {
  __shared__ float words[THREADS / 32];
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) own += __shfl_xor_sync(0xffffffffU, own, lanes);
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = own;
  __syncthreads();
  float sum = 0.0f;
  if (threadIdx.x == 0)
    for (int warp = 0; warp < THREADS / 32; ++warp) sum += words[warp];
  return sum;
}

using Several = Packet<DTYPE, VEC>;

__device__ __forceinline__ float sum_of_products(const Several& x, const Several& y, float sum) {
  float p[VEC], q[VEC];
  unpack(x, p);
  unpack(y, q);
#pragma unroll
  for (int e = 0; e < VEC; ++e) sum = fmaf(p[e], q[e], sum);
  return sum;
}

/// This thread's share: UNROLL packets of each vector are on their way at once, and have a sum each.
__device__ __forceinline__ float own_share(const DTYPE* X, const DTYPE* Y, long long N) {
  const auto* xs = reinterpret_cast<const Several*>(X);
  const auto* ys = reinterpret_cast<const Several*>(Y);
  const long long packets = N / VEC;
  constexpr long long kTile = static_cast<long long>(THREADS) * UNROLL;
  float sums[UNROLL] = {};
  long long i = blockIdx.x * kTile + threadIdx.x;
  for (; i + kTile - THREADS < packets; i += gridDim.x * kTile) {
    Several x[UNROLL], y[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      x[u] = xs[i + u * THREADS];
      y[u] = ys[i + u * THREADS];
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) sums[u] = sum_of_products(x[u], y[u], sums[u]);
  }
  // At most one tile hangs over the end for each thread.
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    if (i + u * THREADS < packets) {
      const Several x = xs[i + u * THREADS], y = ys[i + u * THREADS];
      sums[u] = sum_of_products(x, y, sums[u]);
    }
  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) sum += sums[u];
  const long long rest = packets * VEC + threadIdx.x;
  if (blockIdx.x == 0 && rest < N) sum = fmaf(to_float(X[rest]), to_float(Y[rest]), sum);
  return sum;
}
