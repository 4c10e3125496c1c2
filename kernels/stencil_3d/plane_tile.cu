// Rung 2, plane_tile: the queue, and the plane where it stands in shared memory.
//
// Idea       each element comes from memory once a block: a thread loads its own of the next plane, which then goes through
//            the queue and, when it is the middle, into a tile that the neighbours read. Only the halo of one point is read
//            twice. Two tiles, a double buffer: one barrier a plane.
// Parameters WIDTH x HEIGHT threads of a block, PLANES points each.
// Expects    anything.
// Lacks      several steps a load: every step of a sweep reads and writes the box.
#include "point.cuh"

/// The middle of the thread in a tile, and by the threads at its edges the halo; its corners are nobody's neighbours.
__device__ __forceinline__ void put(DTYPE (&tile)[HEIGHT + 2][WIDTH + 2], const DTYPE* __restrict__ X, const Box& box,
                                    int plane, int row, int column, DTYPE middle) {
  const int x = static_cast<int>(threadIdx.x) + 1, y = static_cast<int>(threadIdx.y) + 1;
  tile[y][x] = middle;
  if (x == 1) tile[y][0] = element(X, box, plane, row, column - 1);
  if (x == WIDTH) tile[y][WIDTH + 1] = element(X, box, plane, row, column + 1);
  if (y == 1) tile[0][x] = element(X, box, plane, row - 1, column);
  if (y == HEIGHT) tile[HEIGHT + 1][x] = element(X, box, plane, row + 1, column);
}

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
plane_tile(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int D, int M, int N, float centre, float side) {
  __shared__ DTYPE tiles[2][HEIGHT + 2][WIDTH + 2];
  const Box box = {D, M, N};
  const int x = static_cast<int>(threadIdx.x) + 1, y = static_cast<int>(threadIdx.y) + 1;
  const int column = static_cast<int>(blockIdx.x) * WIDTH + x - 1, row = static_cast<int>(blockIdx.y) * HEIGHT + y - 1;
  const int first = static_cast<int>(blockIdx.z) * PLANES, last = min(first + PLANES, D);
  DTYPE before = element(X, box, first - 1, row, column), middle = element(X, box, first, row, column);
  for (int plane = first; plane < last; ++plane) {
    const DTYPE behind = element(X, box, plane + 1, row, column);
    DTYPE(&tile)[HEIGHT + 2][WIDTH + 2] = tiles[(plane - first) % 2];
    put(tile, X, box, plane, row, column, middle);
    __syncthreads();
    const Neighbours around = {tile[y][x - 1], tile[y][x + 1], tile[y - 1][x], tile[y + 1][x], before, behind};
    if (row < M && column < N) Y[place(box, plane, row, column)] = step(middle, around, centre, side);
    before = middle;
    middle = behind;
  }
}
