// Rung 0, row_per_warp: a warp a row, its places LANES lanes each.
//
// Idea       all places of a row need the same row of A, which L1 hands out; the rows of B that they need are read whole, VEC
//            numbers a lane, by LANES lanes side by side, which add up what they have by shuffles.
// Parameters LANES a place; VEC numbers a load; WARPS of a block.
// Expects    rows of A and B of whole VEC numbers.
// Counted    Z K numbers of B, and of A again where L1 does not hold its row.
// Lacks      balance: a warp works as long as its row is.
#include "dot.cuh"

extern "C" __global__ void __launch_bounds__(32 * WARPS)
row_per_warp(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ A,
             const DTYPE* __restrict__ B, DTYPE* __restrict__ values, int M, int K) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % LANES;
  const int row = static_cast<int>(blockIdx.x) * WARPS + thread / 32;
  if (row >= M) return;
  const DTYPE* a = A + static_cast<long long>(row) * K;
  const int end = starts[row + 1];
  for (int first = starts[row]; first < end; first += 32 / LANES) {
    const int z = first + thread % 32 / LANES;
    const int column = columns[min(z, end - 1)];  // lanes without a place repeat the last
    const float sum = dot(a, B + static_cast<long long>(column) * K, K, lane);
    if (z < end && lane == 0) values[z] = from_float<DTYPE>(sum);
  }
}
