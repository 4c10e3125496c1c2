// Rung 0, naive: a thread an element of y.
//
// Idea       neighbours read neighbours, and all of them the same place of the filter: L1 has both.
// Parameters THREADS of a block.
// Expects    anything.
// Lacks      loads: two a product go through L1.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
naive(const DTYPE* __restrict__ X, const float* __restrict__ F, DTYPE* __restrict__ Y, int N) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= N) return;
  const long long row = static_cast<long long>(blockIdx.y) * N;
  float sum = 0;
#pragma unroll 8
  for (int u = 0; u < SIZE; ++u) {
    const long long at = i + u - SIZE / 2;
    if (at >= 0 && at < N) sum += to_float(X[row + at]) * F[u];
  }
  Y[row + i] = from_float<DTYPE>(sum);
}
