// Rung 2, tile: a tile and its halo in shared memory, ROWS elements of a column a thread.
//
// Idea       a thread makes ROWS elements one below the other: what it reads of a column of the tile serves each of them,
//            (ROWS + SIZE - 1) SIZE loads from shared memory instead of ROWS SIZE^2. Neighbours read neighbours: no
//            conflicts. Elements become fp32 once, when they are loaded.
// Parameters WIDTH x HEIGHT threads of a block, ROWS elements each.
// Expects    anything. The filter is put into constant memory before the run, which is not timed.
// Lacks      tensor cores.
#include "common/types.cuh"

__constant__ float filter[SIZE * SIZE];

constexpr int kHalo = SIZE / 2, kDown = HEIGHT * ROWS;
constexpr int kRows = kDown + 2 * kHalo, kColumns = WIDTH + 2 * kHalo;

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT)
tile(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N) {
  extern __shared__ float held[];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * kDown, first_column = static_cast<int>(blockIdx.x) * WIDTH;
  const long long image = static_cast<long long>(blockIdx.z) * M * N;
  bool finite = true;
  for (int r = y; r < kRows; r += HEIGHT)
    for (int c = x; c < kColumns; c += WIDTH) {
      const int row = first_row + r - kHalo, column = first_column + c - kHalo;
      const bool inside = row >= 0 && row < M && column >= 0 && column < N;
      held[r * kColumns + c] = inside ? to_float(X[image + static_cast<long long>(row) * N + column]) : 0.0f;
    }
  for (int i = y * WIDTH + x; i < SIZE * SIZE; i += WIDTH * HEIGHT) finite = finite && fabsf(filter[i]) < float_from_bits(0x7f800000U);
  const bool all_finite = __syncthreads_and(finite) != 0;

  float sums[ROWS] = {};
#pragma unroll
  for (int v = 0; v < SIZE; ++v) {
    const int column = first_column + x + v - kHalo;
    if (!all_finite && (column < 0 || column >= N)) continue;  // infinity times nothing is nothing
#pragma unroll
    for (int r = 0; r < ROWS + SIZE - 1; ++r) {
      const int row = first_row + y * ROWS + r - kHalo;
      const float element = held[(y * ROWS + r) * kColumns + x + v];
      if (!all_finite && (row < 0 || row >= M)) continue;
#pragma unroll
      for (int e = 0; e < ROWS; ++e)
        if (r - e >= 0 && r - e < SIZE) sums[e] += element * filter[(r - e) * SIZE + v];
    }
  }
#pragma unroll
  for (int e = 0; e < ROWS; ++e) {
    const int row = first_row + y * ROWS + e, column = first_column + x;
    if (row < M && column < N) Y[image + static_cast<long long>(row) * N + column] = from_float<DTYPE>(sums[e]);
  }
}
