// Rung 1, constant: the filter in constant memory.
//
// Idea       all threads read the same place of the filter at the same time: an operand of the multiply-add instead of a load.
// Parameters THREADS of a block.
// Expects    anything. The filter is put into constant memory before the run, which is not timed.
// Lacks      one load of x a product goes through L1.
#include "common/types.cuh"

__constant__ float filter[SIZE];

extern "C" __global__ void __launch_bounds__(THREADS) constant(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int N) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= N) return;
  const long long row = static_cast<long long>(blockIdx.y) * N;
  float sum = 0;
#pragma unroll
  for (int u = 0; u < SIZE; ++u) {
    const long long at = i + u - SIZE / 2;
    if (at >= 0 && at < N) sum += to_float(X[row + at]) * filter[u];
  }
  Y[row + i] = from_float<DTYPE>(sum);
}
