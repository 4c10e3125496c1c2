// Rungs 0 and 1: every number is an atomic on a counter in memory; TOGETHER: once for all lanes of a warp that have it.
//
// Idea      nothing but loads of 16 bytes and atomics, which the L2 cache executes. Lanes that agree are found by
//           match.any, and their first one adds for all: skewed numbers cost no more than even ones.
// Parameters THREADS a block; UNROLL accesses in flight a thread; BLOCKS an SM.
// Expects   anything.
// Lacks     room: all blocks of the device meet in the same few lines of the L2 cache.
#include "numbers.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) histogram(const unsigned* __restrict__ X, unsigned* H, long long N) {
  each_number(X, N, [&](unsigned number) {
    if (TOGETHER) {
      add_together(H, number);
    } else {
      add_alone(H, number);
    }
  });
}
