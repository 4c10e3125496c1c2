// Rung 1, queue: a thread goes through PLANES planes with three elements in registers (2.5-D blocking).
//
// Idea       what was behind is the middle next, then before: of the third direction one load a point is left. The four
//            neighbours in the plane come from L1. The load of the plane after next is on its way while a point is made.
// Parameters WIDTH x HEIGHT threads of a block, PLANES points each.
// Expects    anything.
// Lacks      shared memory: five loads a point go through L1.
#include "point.cuh"

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
queue(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int D, int M, int N, float centre, float side) {
  const Box box = {D, M, N};
  const int column = static_cast<int>(blockIdx.x) * WIDTH + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * HEIGHT + static_cast<int>(threadIdx.y);
  const int first = static_cast<int>(blockIdx.z) * PLANES;
  if (row >= M || column >= N) return;
  DTYPE before = element(X, box, first - 1, row, column), middle = element(X, box, first, row, column);
  const int last = min(first + PLANES, D);
#pragma unroll 4
  for (int plane = first; plane < last; ++plane) {
    const DTYPE behind = element(X, box, plane + 1, row, column);
    const Neighbours around = {element(X, box, plane, row, column - 1), element(X, box, plane, row, column + 1),
                               element(X, box, plane, row - 1, column), element(X, box, plane, row + 1, column),
                               before, behind};
    Y[place(box, plane, row, column)] = step(middle, around, centre, side);
    before = middle;
    middle = behind;
  }
}
