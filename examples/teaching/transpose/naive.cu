#include "common/types.cuh"

// Neighbouring threads read neighbouring elements of x, and write elements of out that are M apart.
extern "C" __global__ void __launch_bounds__(TILE * ROWS) naive(const DTYPE* x, DTYPE* out, int M, int N) {
  const int column = blockIdx.x * TILE + threadIdx.x;
  for (int i = threadIdx.y; i < TILE; i += ROWS) {
    const int row = blockIdx.y * TILE + i;
    if (row < M && column < N) out[static_cast<long long>(column) * M + row] = x[static_cast<long long>(row) * N + column];
  }
}
