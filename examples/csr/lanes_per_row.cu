// The idea: LANES neighbouring threads share a row and add up their sums by shuffles. What row_per_thread lacks: here
// accesses of one row lie side by side. LANES should be near the mean length of a row: more lanes idle, fewer wait.
#include "common/types.cuh"

extern "C" __global__ void lanes_per_row(const int* starts, const int* columns, const DTYPE* values, const DTYPE* x,
                                         DTYPE* y, int M) {
  const int row = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  DTYPE sum = 0;
  if (row < M) {
    const int end = starts[row + 1];
    for (int i = starts[row] + lane; i < end; i += LANES) sum += values[i] * x[columns[i]];
  }
  for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, step, LANES);
  if (row < M && lane == 0) y[row] = sum;
}
