// Rung 1, row_per_thread: a thread adds up a row.
//
// Idea       no thread waits for another.
// Parameters THREADS of a block.
// Expects    anything.
// Lacks      neighbours: those of a warp read rows that lie apart, up to 32 sectors an access, and wait for the longest.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
row_per_thread(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
               const DTYPE* __restrict__ x, DTYPE* __restrict__ y, int M) {
  const int row = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
  if (row >= M) return;
  const int end = starts[row + 1];
  DTYPE sum = 0;
  for (int i = starts[row]; i < end; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}
