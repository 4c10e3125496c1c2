// Rung 0, naive: a thread an element of y.
//
// Idea       neighbours are filters of one pixel: they read the same channels of x, which L1 hands out.
// Parameters THREADS of a block.
// Expects    anything.
// Counted    two loads a product.
// Lacks      tensor cores, and any reuse but that of L1.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
naive(const DTYPE* __restrict__ X, const DTYPE* __restrict__ W, DTYPE* __restrict__ Y, int M, int N, int C, int F, long long count) {
  const long long at = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (at >= count) return;
  const int f = static_cast<int>(at % F), pixel = static_cast<int>(at / F);
  const int column = pixel % N, row = pixel / N % M;
  float sum = 0;
  for (int u = 0; u < SIZE; ++u)
    for (int v = 0; v < SIZE; ++v) {
      const int r = row + u - SIZE / 2, c = column + v - SIZE / 2;
      if (r < 0 || r >= M || c < 0 || c >= N) continue;
      const DTYPE* x = X + (pixel + static_cast<long long>(r - row) * N + (c - column)) * C;
      const DTYPE* w = W + (static_cast<long long>(f) * SIZE * SIZE + u * SIZE + v) * C;
      for (int k = 0; k < C; ++k) sum += to_float(x[k]) * to_float(w[k]);
    }
  Y[at] = from_float<DTYPE>(sum);
}
