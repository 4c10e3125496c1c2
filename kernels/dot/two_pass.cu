// Rung 1, two_pass: every block sums its share, then one block sums the blocks' results.
//
// Idea      enough bytes on their way to every multiprocessor: 2 UNROLL accesses of 16 bytes a thread. No atomics: the
//           same input gives the same bits every time.
// Parameters THREADS a block; ACCESS bytes an access, VEC elements; UNROLL accesses of each vector in flight a thread;
//           BLOCKS an SM.
// Expects   anything.
// Lacks     a single launch: the second costs a launch and a round trip, which short vectors feel.
#include "sums.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
dot_blocks(const DTYPE* __restrict__ X, const DTYPE* __restrict__ Y, float* __restrict__ partial, long long N) {
  const float sum = over_block(own_share(X, Y, N));
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
dot_partials(const float* __restrict__ partial, float* __restrict__ S, int blocks) {
  float sum = 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < blocks; i += THREADS) sum += partial[i];
  sum = over_block(sum);
  if (threadIdx.x == 0) S[0] = sum;
}
