// Scatter, rung 0, atomics: a thread a number of an edge, added to both ends.
//
// Idea       the edges stay where they are, and each is read once.
// Parameters THREADS of a block.
// Expects    anything. Sums are made in any order: runs differ in their last bits.
// Lacks      two atomic operations a number of an edge, six a number of a vertex.
#include "mesh.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) forget(DTYPE* __restrict__ Y, long long numbers) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i < numbers) Y[i] = 0;
}

extern "C" __global__ void __launch_bounds__(THREADS)
atomics(const DTYPE* __restrict__ X, const int2* __restrict__ ends, DTYPE* Y, long long numbers, int F) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= numbers) return;
  const int2 end = ends[i / F];
  const int f = static_cast<int>(i % F);
  const DTYPE x = X[i];
  atomicAdd(Y + static_cast<long long>(end.x) * F + f, -x);
  atomicAdd(Y + static_cast<long long>(end.y) * F + f, x);
}
