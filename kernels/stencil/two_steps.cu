// Rung 3, two_steps: both steps on one tile (temporal blocking).
//
// Idea       a tile with a halo of two points has all that the second step of its inside needs: the first step is made of
//            the tile and a halo of one, into shared memory again. The plane is read once and written once for two steps;
//            the halos are made twice.
// Parameters WIDTH x HEIGHT threads of a block, DOWN rows of points each.
// Expects    two steps.
// Lacks      overlap: the block loads, makes a step, makes the other, one after another.
#include "tile_step.cuh"

constexpr int kRows = HEIGHT * DOWN;
constexpr int kThreads = WIDTH * HEIGHT;

extern "C" __global__ void __launch_bounds__(kThreads)
two_steps(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N, float centre, float side) {
  __shared__ DTYPE held[kRows + 4][WIDTH + 4];
  __shared__ DTYPE once[kRows + 2][WIDTH + 2];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * kRows, first_column = static_cast<int>(blockIdx.x) * WIDTH;
  for (int r = y; r < kRows + 4; r += HEIGHT)
    for (int c = x; c < WIDTH + 4; c += WIDTH) held[r][c] = element(X, M, N, first_row + r - 2, first_column + c - 2);
  __syncthreads();
  for (int r = y; r < kRows + 2; r += HEIGHT)
    for (int c = x; c < WIDTH + 2; c += WIDTH) {
      const int row = first_row + r - 1, column = first_column + c - 1;
      const bool inside = row >= 0 && row < M && column >= 0 && column < N;  // beyond the edges 0, after a step too
      once[r][c] = inside ? step(held[r + 1][c + 1], held[r + 1][c], held[r + 1][c + 2], held[r][c + 1],
                                 held[r + 2][c + 1], centre, side)
                          : DTYPE(0);
    }
  __syncthreads();
  store_step(once, Y, M, N, first_row, first_column, centre, side);
}
