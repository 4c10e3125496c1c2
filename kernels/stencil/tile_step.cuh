#pragma once
// The step that a block of WIDTH x HEIGHT threads, DOWN rows of points each, makes from a tile in shared memory.
#include "point.cuh"

/// `tile`: the block's points with a halo of one, that of its first in [1][1]. To the plane, whose points those are from
/// (first_row, first_column) on.
template <int Rows, int Columns>
__device__ __forceinline__ void store_step(const DTYPE (&tile)[Rows][Columns], DTYPE* __restrict__ Y, int M, int N,
                                           int first_row, int first_column, DTYPE centre, DTYPE side) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
#pragma unroll
  for (int d = 0; d < DOWN; ++d) {
    const int r = d * HEIGHT + y, row = first_row + r, column = first_column + x;
    if (row < M && column < N)
      Y[static_cast<long long>(row) * N + column] = step(tile[r + 1][x + 1], tile[r + 1][x], tile[r + 1][x + 2],
                                                         tile[r][x + 1], tile[r + 2][x + 1], centre, side);
  }
}
