// Rung 0, naive: one thread moves one element.
//
// Idea      the definition. Neighbouring threads read neighbouring elements of one row, so that loads are coalesced
//           whatever row it is; but each thread asks for the number of the row, waits for it, and then moves 2 or 4 bytes.
// Expects   anything.
// Lacks     wide loads; more than one load in flight a thread. A division of 64 bits an element.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
embedding(const int* __restrict__ ids, const DTYPE* __restrict__ table, DTYPE* __restrict__ Y, int T, int D,
          long long pitch_table, long long pitch_y) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  const long long token = i / D;
  const int column = static_cast<int>(i - token * D);
  if (token < T) Y[token * pitch_y + column] = table[ids[token] * pitch_table + column];
}
