// Rung 2, lanes_per_row: LANES neighbouring threads share a row and add up their sums by shuffles (32: a warp a row).
//
// Idea       what a row holds lies side by side: neighbours read neighbours.
// Parameters LANES, near the mean length of a row: more of them idle, fewer wait; THREADS of a block.
// Expects    anything.
// Lacks      balance: a block waits for its longest row, a multiprocessor for its longest block.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
lanes_per_row(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
              const DTYPE* __restrict__ x, DTYPE* __restrict__ y, int M) {
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const int row = static_cast<int>(blockIdx.x) * (THREADS / LANES) + static_cast<int>(threadIdx.x) / LANES;
  DTYPE sum = 0;
  if (row < M) {
    const int end = starts[row + 1];
    for (int i = starts[row] + lane; i < end; i += LANES) sum += values[i] * x[columns[i]];
  }
#pragma unroll
  for (int apart = LANES / 2; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffU, sum, apart, LANES);
  if (row < M && lane == 0) y[row] = sum;
}
