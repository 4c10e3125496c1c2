// The idea: a thread adds up a row. Neighbouring threads read rows that lie far from one another, so that each access of
// a warp touches up to 32 sectors, and a warp waits for its longest row.
#include "common/types.cuh"

extern "C" __global__ void row_per_thread(const int* starts, const int* columns, const DTYPE* values, const DTYPE* x,
                                          DTYPE* y, int M) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= M) return;
  DTYPE sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}
