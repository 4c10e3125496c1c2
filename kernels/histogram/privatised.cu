// Rung 2, privatised: a block counts in shared memory, and adds what it has to the counters in memory once.
//
// Idea      atomics on shared memory are a block's own. COPIES of the counters keep warps apart that would meet at one
//           of few bins, and TOGETHER lets lanes with the same number add at once.
// Parameters THREADS a block; UNROLL accesses in flight a thread; BLOCKS an SM; COPIES of the counters; TOGETHER.
// Expects   counters that fit into shared memory.
// Measured  on an H200, 2^27 even numbers, THREADS=512 UNROLL=2 BLOCKS=4: 8 bins 124 us, 256 bins 126 us (4.27 TB/s), 8192
//           bins 132 us. TOGETHER costs more than it saves there: 314, 1029 and 1089 us, for match.any is slow.
// Lacks     use for many bins and few numbers: every block goes through all bins, twice.
#include "numbers.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
histogram(const unsigned* __restrict__ X, unsigned* H, long long N, int BINS) {
  extern __shared__ unsigned counts[];
  for (int bin = static_cast<int>(threadIdx.x); bin < COPIES * BINS; bin += THREADS) counts[bin] = 0;
  __syncthreads();
  unsigned* own = counts + static_cast<int>(threadIdx.x) / 32 % COPIES * BINS;
  each_number(X, N, [&](unsigned number) {
    if (TOGETHER) {
      add_together(own, number);
    } else {
      add_alone(own, number);
    }
  });
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < BINS; bin += THREADS) {
    unsigned sum = 0;
    for (int copy = 0; copy < COPIES; ++copy) sum += counts[copy * BINS + bin];
    if (sum != 0) atomicAdd(H + bin, sum);
  }
}
