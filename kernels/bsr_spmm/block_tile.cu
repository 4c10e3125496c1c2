// Rung 1, block_tile: a row of blocks a thread block, WIDTH columns of it.
//
// Idea       a block of A and the rows of B that it meets lie in shared memory: B is read once for all rows of the block.
//            A thread has one column and every HEIGHTth row: what it reads of B serves all of its rows, what it reads of A
//            is the same word for a warp.
// Parameters WIDTH columns x HEIGHT rows of threads of a block.
// Expects    anything.
// Lacks      tensor cores; loads of the next block while this one is multiplied; balance, as rows differ in length.
#include "common/types.cuh"

constexpr int kThreads = WIDTH * HEIGHT, kRows = (SIDE + HEIGHT - 1) / HEIGHT;

struct Tile {
  float a[SIDE][SIDE], b[SIDE][WIDTH];
};

__device__ __forceinline__ void load(Tile& tile, const DTYPE* __restrict__ block, const DTYPE* __restrict__ rows, int N,
                                     int first, int thread) {
  for (int i = thread; i < SIDE * SIDE; i += kThreads) tile.a[i / SIDE][i % SIDE] = to_float(block[i]);
  for (int i = thread; i < SIDE * WIDTH; i += kThreads) {
    const int k = i / WIDTH, n = first + i % WIDTH;
    tile.b[k][i % WIDTH] = n < N ? to_float(rows[static_cast<long long>(k) * N + n]) : 0.0f;
  }
}

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
block_tile(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
           const DTYPE* __restrict__ B, DTYPE* __restrict__ C, int N) {
  __shared__ Tile tile;
  const int x = static_cast<int>(threadIdx.x) % WIDTH, y = static_cast<int>(threadIdx.x) / WIDTH;
  const int first = static_cast<int>(blockIdx.y) * WIDTH, end = starts[blockIdx.x + 1];
  float sums[kRows] = {};
  for (int i = starts[blockIdx.x]; i < end; ++i) {
    load(tile, values + static_cast<long long>(i) * SIDE * SIDE, B + static_cast<long long>(columns[i]) * SIDE * N, N, first,
         static_cast<int>(threadIdx.x));
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < SIDE; ++k) {
      const float b = tile.b[k][x];
#pragma unroll
      for (int r = 0; r < kRows; ++r)
        if (y + r * HEIGHT < SIDE) sums[r] += tile.a[y + r * HEIGHT][k] * b;
    }
    __syncthreads();
  }
  if (first + x >= N) return;
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    if (y + r * HEIGHT < SIDE)
      C[(static_cast<long long>(blockIdx.x) * SIDE + y + r * HEIGHT) * N + first + x] = from_float<DTYPE>(sums[r]);
}
