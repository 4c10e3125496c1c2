// Rung 0, naive: a thread an element of C.
//
// Idea       neighbours in a row of C read neighbours of a row of B, and all of them the same row of A, which L1 hands out.
// Parameters WIDTH columns x HEIGHT rows of threads of a block.
// Expects    anything.
// Counted    loads asked for: Z N (4 + 2 E) bytes, E of a number: A is asked for once a column of B.
// Lacks      a load of A a product; a thread of a long row works on when its block has finished.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
naive(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
      const DTYPE* __restrict__ B, DTYPE* __restrict__ C, int M, int N) {
  const int n = static_cast<int>(blockIdx.y) * WIDTH + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.x) * HEIGHT + static_cast<int>(threadIdx.y);
  if (row >= M || n >= N) return;
  const int end = starts[row + 1];
  float sum = 0;
  for (int i = starts[row]; i < end; ++i)
    sum += to_float(values[i]) * to_float(B[static_cast<long long>(columns[i]) * N + n]);
  C[static_cast<long long>(row) * N + n] = from_float<DTYPE>(sum);
}
