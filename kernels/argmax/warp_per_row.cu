// Rung 1, warp_per_row: the lanes of a warp share a row and meet by shuffles.
//
// Idea       neighbours read neighbours. Value and place are one integer, whose largest is the answer in whatever order.
// Parameters THREADS of a block, a row for each 32.
// Expects    anything.
// Lacks      bytes on their way: an access of a lane takes one element.
#include "common/rows/order_key.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
warp_per_row(const DTYPE* __restrict__ X, int* __restrict__ indices, int M, int N) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int m = static_cast<int>(blockIdx.x) * (THREADS / 32) + static_cast<int>(threadIdx.x) / 32;
  if (m >= M) return;
  const DTYPE* row = X + static_cast<long long>(m) * N;
  Key best = 0;
  for (int i = lane; i < N; i += 32) {
    const Key key = key_of(to_float(row[i]), static_cast<unsigned>(i));
    best = key > best ? key : best;
  }
  best = largest_of_warp(best);
  if (lane == 0) indices[m] = place_of(best);
}
