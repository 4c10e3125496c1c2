// Rung 0, passes: K times the largest key below the last one.
//
// Idea       value and place are one key that no other element has: what was taken needs no mark.
// Parameters THREADS of a block, which has a row.
// Expects    anything.
// Lacks      one pass: the row is read K times, if mostly from L1 and L2.
#include "common/rows/order_key.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
passes(const DTYPE* __restrict__ X, DTYPE* __restrict__ values, int* __restrict__ indices, int N, int K) {
  __shared__ Key of_warp[THREADS / 32];
  const DTYPE* row = X + static_cast<long long>(blockIdx.x) * N;
  Key below = ~Key(0);
  for (int k = 0; k < K; ++k) {
    Key best = 0;
    for (int i = static_cast<int>(threadIdx.x); i < N; i += THREADS) {
      const Key key = key_of(to_float(row[i]), static_cast<unsigned>(i));
      if (key < below && key > best) best = key;
    }
    best = largest_of_warp(best);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
    __syncthreads();
#pragma unroll
    for (int warp = 0; warp < THREADS / 32; ++warp) best = of_warp[warp] > best ? of_warp[warp] : best;
    if (threadIdx.x == 0) {
      values[static_cast<long long>(blockIdx.x) * K + k] = row[place_of(best)];
      indices[static_cast<long long>(blockIdx.x) * K + k] = place_of(best);
    }
    below = best;
    __syncthreads();
  }
}
