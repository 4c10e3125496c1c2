// Rung 0, naive: a thread an element of C.
//
// Idea       neighbours in a row of C read neighbours of a row of B, and all of them the same row of a block of A.
// Parameters WIDTH columns x HEIGHT rows of threads of a block.
// Expects    anything.
// Lacks      two loads a product; the rows of one block read the same rows of B, each by itself.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
naive(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
      const DTYPE* __restrict__ B, DTYPE* __restrict__ C, int M, int N) {
  const int n = static_cast<int>(blockIdx.y) * WIDTH + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.x) * HEIGHT + static_cast<int>(threadIdx.y);
  if (row >= M * SIDE || n >= N) return;
  const int end = starts[row / SIDE + 1];
  float sum = 0;
  for (int i = starts[row / SIDE]; i < end; ++i) {
    const DTYPE* a = values + (static_cast<long long>(i) * SIDE + row % SIDE) * SIDE;
    const DTYPE* b = B + static_cast<long long>(columns[i]) * SIDE * N + n;
#pragma unroll 4
    for (int k = 0; k < SIDE; ++k) sum += to_float(a[k]) * to_float(b[static_cast<long long>(k) * N]);
  }
  C[static_cast<long long>(row) * N + n] = from_float<DTYPE>(sum);
}
