// Rung 1 and 2, tile and registers: THREADS bodies at a time in shared memory, EACH bodies of its own a thread.
//
// Idea       a tile of bodies comes from memory once a block. With EACH > 1 (registers) what is read from shared memory
//            serves so many bodies: a warp reads 16 bytes for EACH interactions of 18 operations.
// Parameters THREADS of a block; EACH bodies a thread.
// Expects    anything.
// Lacks      parts: with few bodies there are few blocks. Sharing the others out over blocks would need their sums joined.
#include "pair.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
tile(const float4* __restrict__ P, float* __restrict__ A, int N, float softening) {
  __shared__ float4 others[THREADS];
  const int first = static_cast<int>(blockIdx.x) * THREADS * EACH + static_cast<int>(threadIdx.x);
  float4 own[EACH];
  Sum sums[EACH];
#pragma unroll
  for (int e = 0; e < EACH; ++e) own[e] = P[min(first + e * THREADS, N - 1)];
  for (int from = 0; from < N; from += THREADS) {
    const int j = from + static_cast<int>(threadIdx.x);
    if (j < N) others[threadIdx.x] = P[j];
    __syncthreads();
    const int count = min(THREADS, N - from);
    if (count == THREADS) {
#pragma unroll 8
      for (int other = 0; other < THREADS; ++other) {
        const float4 body = others[other];
#pragma unroll
        for (int e = 0; e < EACH; ++e) sums[e].add(own[e], body, softening * softening);
      }
    } else {
      for (int other = 0; other < count; ++other) {
        const float4 body = others[other];
#pragma unroll
        for (int e = 0; e < EACH; ++e) sums[e].add(own[e], body, softening * softening);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < EACH; ++e)
    if (first + e * THREADS < N) sums[e].store(A + (first + e * THREADS) * 3LL);
}
