// Rung 1, constant: the filter in constant memory.
//
// Idea       all threads of a warp want the same number of the filter: constant memory gives it to all at once, as an
//            operand of the multiplication, and the loads are left to the image. The loops have no end to look for.
// Parameters WIDTH x HEIGHT threads of a block.
// Expects    anything. The filter is put into constant memory before the run, which is not timed.
// Lacks      a load a multiplication still.
#include "common/types.cuh"

__constant__ float filter[SIZE * SIZE];

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
constant(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N) {
  const int column = static_cast<int>(blockIdx.x) * WIDTH + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * HEIGHT + static_cast<int>(threadIdx.y);
  if (row >= M || column >= N) return;
  const long long image = static_cast<long long>(blockIdx.z) * M * N;
  float sum = 0;
#pragma unroll 3
  for (int u = 0; u < SIZE; ++u)
#pragma unroll
    for (int v = 0; v < SIZE; ++v) {
      const int r = row + u - SIZE / 2, c = column + v - SIZE / 2;
      if (r >= 0 && r < M && c >= 0 && c < N)
        sum += to_float(X[image + static_cast<long long>(r) * N + c]) * filter[u * SIZE + v];
    }
  Y[image + static_cast<long long>(row) * N + column] = from_float<DTYPE>(sum);
}
