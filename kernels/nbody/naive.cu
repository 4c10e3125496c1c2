// Rung 0, naive: a thread a body, every other body from memory.
//
// Idea       all threads of a warp read the same body: one sector an access.
// Parameters THREADS of a block.
// Expects    anything.
// Lacks      what to do while a body is on its way.
#include "pair.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
naive(const float4* __restrict__ P, float* __restrict__ A, int N, float softening) {
  const int i = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
  if (i >= N) return;
  const float4 own = P[i];
  Sum sum;
#pragma unroll 1
  for (int j = 0; j < N; ++j) {
    const float4 other = P[j];
    sum.add(own, other, softening * softening);
  }
  sum.store(A + i * 3LL);
}
