// Rung 0, naive: a thread a point, five loads.
//
// Idea       neighbours read nearly the same rows: L1 has four of the five.
// Parameters WIDTH x HEIGHT threads of a block.
// Expects    anything.
// Lacks      loads: five a point go through L1, where one would do.
#include "point.cuh"

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
naive(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N, float centre, float side) {
  const int column = static_cast<int>(blockIdx.x) * WIDTH + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * HEIGHT + static_cast<int>(threadIdx.y);
  if (row >= M || column >= N) return;
  Y[static_cast<long long>(row) * N + column] =
      step(element(X, M, N, row, column), element(X, M, N, row, column - 1), element(X, M, N, row, column + 1),
           element(X, M, N, row - 1, column), element(X, M, N, row + 1, column), centre, side);
}
