// Rung 0, naive: a thread an element, SIZE^2 loads of the image and of the filter.
//
// Idea       L1 holds what neighbours share.
// Parameters WIDTH x HEIGHT threads of a block.
// Expects    anything.
// Lacks      two loads a multiplication.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
naive(const DTYPE* __restrict__ X, const float* __restrict__ F, DTYPE* __restrict__ Y, int M, int N) {
  const int column = static_cast<int>(blockIdx.x) * WIDTH + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * HEIGHT + static_cast<int>(threadIdx.y);
  if (row >= M || column >= N) return;
  const long long image = static_cast<long long>(blockIdx.z) * M * N;
  float sum = 0;
  for (int u = 0; u < SIZE; ++u)
    for (int v = 0; v < SIZE; ++v) {
      const int r = row + u - SIZE / 2, c = column + v - SIZE / 2;
      if (r >= 0 && r < M && c >= 0 && c < N) sum += to_float(X[image + static_cast<long long>(r) * N + c]) * F[u * SIZE + v];
    }
  Y[image + static_cast<long long>(row) * N + column] = from_float<DTYPE>(sum);
}
