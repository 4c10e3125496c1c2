// Rung 0, naive: a thread a point, seven loads.
//
// Idea       neighbours read nearly the same rows: L1 has those of a plane, L2 those of the planes before and behind.
// Parameters WIDTH x HEIGHT threads of a block.
// Expects    anything.
// Lacks      loads: seven a point go through L1, and each plane is asked for three times, long after one another.
#include "point.cuh"

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
naive(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int D, int M, int N, float centre, float side) {
  const Box box = {D, M, N};
  const int column = static_cast<int>(blockIdx.x) * WIDTH + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * HEIGHT + static_cast<int>(threadIdx.y);
  const int plane = static_cast<int>(blockIdx.z);
  if (row >= M || column >= N) return;
  const Neighbours around = {element(X, box, plane, row, column - 1), element(X, box, plane, row, column + 1),
                             element(X, box, plane, row - 1, column), element(X, box, plane, row + 1, column),
                             element(X, box, plane - 1, row, column), element(X, box, plane + 1, row, column)};
  Y[place(box, plane, row, column)] = step(element(X, box, plane, row, column), around, centre, side);
}
