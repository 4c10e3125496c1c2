// Rung 3, wide_lanes: lanes_per_row with accesses of 16 bytes, and ROWS rows of a thread on their way at once.
//
// Idea       a lane takes the columns and values of four non-zeros (fp64: two) by one load each; the numbers of x that they ask
//            for are loads without a wait between. The first accesses of all ROWS rows are asked for before one is added up: short
//            rows, which are one access long, would otherwise wait for memory one after another.
// Parameters LANES of a few non-zeros that share a row, all of its mean length; ROWS, neighbours, of one thread;
//            THREADS of a block.
// Expects    addresses of columns and values that are multiples of 16.
// Lacks      balance, as lanes_per_row. A row that begins amid an access wastes the part before it.
#include "few.cuh"

constexpr int kGroups = THREADS / LANES;

extern "C" __global__ void __launch_bounds__(THREADS)
wide_lanes(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
           const DTYPE* __restrict__ x, DTYPE* __restrict__ y, int M, int Z) {
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const int first = (static_cast<int>(blockIdx.x) * kGroups + static_cast<int>(threadIdx.x) / LANES) * ROWS;
  int bounds[ROWS + 1];
#pragma unroll
  for (int r = 0; r <= ROWS; ++r) bounds[r] = starts[min(first + r, M)];
  Few firsts[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) firsts[r].load(columns, values, bounds[r] / kWide * kWide + kWide * lane, bounds[r], bounds[r + 1], Z);
  DTYPE sums[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) sums[r] = firsts[r].sum(x);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll 4
    for (int at = bounds[r] / kWide * kWide + kWide * (lane + LANES); at < bounds[r + 1]; at += kWide * LANES) {
      Few more;
      more.load(columns, values, at, bounds[r], bounds[r + 1], Z);
      sums[r] += more.sum(x);
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int apart = LANES / 2; apart > 0; apart /= 2) sums[r] += __shfl_down_sync(0xffffffffU, sums[r], apart, LANES);
    if (lane == 0 && first + r < M) y[first + r] = sums[r];
  }
}
