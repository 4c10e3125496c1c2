// Rung 1, equal_pieces: every block takes PLACES places, whatever rows they are of.
//
// Idea       a product is written by one group of lanes alone, so that a row may be cut anywhere and nothing is joined. The
//            block looks for the row of its first place once, by bisection; groups go on from there, row by row.
// Parameters LANES a place; VEC numbers a load; THREADS, PLACES of a block.
// Expects    rows of A and B of whole VEC numbers.
// Counted    PLACES products a block: the busiest multiprocessor has one block more than the others at most.
// Lacks      reuse: neighbours in a row read its row of A through L1 each.
#include "dot.cuh"

/// The row of place z, when starts[low] <= z.
__device__ __forceinline__ int row_of(const int* starts, int low, int rows, int z) {
  int after = rows;
  while (after - low > 1) {
    const int middle = low + (after - low) / 2;
    if (starts[middle] <= z) low = middle;
    else after = middle;
  }
  return low;
}

extern "C" __global__ void __launch_bounds__(THREADS)
equal_pieces(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ A,
             const DTYPE* __restrict__ B, DTYPE* __restrict__ values, int M, int K, int Z) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % LANES;
  const int first = static_cast<int>(blockIdx.x) * PLACES, end = min(first + PLACES, Z);
  int row = row_of(starts, 0, M, first);
  const int last_row = row_of(starts, row, M, end - 1);
  for (int base = first; base < end; base += THREADS / LANES) {
    const int z = min(base + thread / LANES, end - 1);  // groups without a place repeat the last
    row = row_of(starts, row, last_row + 1, z);
    const float sum = dot(A + static_cast<long long>(row) * K, B + static_cast<long long>(columns[z]) * K, K, lane);
    if (base + thread / LANES < end && lane == 0) values[z] = from_float<DTYPE>(sum);
  }
}
