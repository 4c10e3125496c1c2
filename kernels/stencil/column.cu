// Rung 2, column: a thread goes down a column with three elements in registers.
//
// Idea       what was below is the middle next, then above: one load a point. The neighbours left and right are the
//            middles of other lanes; only the first and the last lane of a warp load one more. The load of the row after
//            next is on its way while a point is made.
// Parameters THREADS of a block; DOWN rows of points a thread.
// Expects    anything.
// Lacks      several steps a load: every step of a sweep reads and writes the plane.
#include "point.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
column(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N, float centre, float side) {
  const int column = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first = static_cast<int>(blockIdx.y) * DOWN;
  const int edge = lane == 0 ? column - 1 : column + 1;
  const bool at_edge = lane == 0 || lane == 31;
  DTYPE above = element(X, M, N, first - 1, column);
  DTYPE middle = element(X, M, N, first, column);
#pragma unroll
  for (int d = 0; d < DOWN; ++d) {
    const int row = first + d;
    const DTYPE below = element(X, M, N, row + 1, column);
    const DTYPE outer = at_edge ? element(X, M, N, row, edge) : DTYPE(0);
    const DTYPE from_left = __shfl_up_sync(0xffffffffU, middle, 1), from_right = __shfl_down_sync(0xffffffffU, middle, 1);
    const DTYPE left = lane == 0 ? outer : from_left, right = lane == 31 ? outer : from_right;
    if (row < M && column < N)
      Y[static_cast<long long>(row) * N + column] = step(middle, left, right, above, below, centre, side);
    above = middle;
    middle = below;
  }
}
