// Rung 1, tile: a block's part of the plane, and a halo of one point, in shared memory.
//
// Idea       every element comes from memory once a block; the halo is all that is read twice.
// Parameters WIDTH x HEIGHT threads of a block, DOWN rows of points each.
// Expects    anything.
// Lacks      registers: each of five loads goes to shared memory, and the block waits between loads and stores.
#include "tile_step.cuh"

constexpr int kRows = HEIGHT * DOWN;

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
tile(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N, float centre, float side) {
  __shared__ DTYPE held[kRows + 2][WIDTH + 2];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * kRows, first_column = static_cast<int>(blockIdx.x) * WIDTH;
  for (int r = y; r < kRows + 2; r += HEIGHT) {
    held[r][x + 1] = element(X, M, N, first_row + r - 1, first_column + x);
    if (x < 2) {  // the halo's two columns
      const int c = x == 0 ? 0 : WIDTH + 1;
      held[r][c] = element(X, M, N, first_row + r - 1, first_column + c - 1);
    }
  }
  __syncthreads();
  store_step(held, Y, M, N, first_row, first_column, centre, side);
}
