// Rung 2, one_launch: as two_pass, but the block that comes last sums the blocks' results.
//
// Idea      blocks count themselves in a word of memory after their result is written (an atomic that releases and
//           acquires); who comes last adds all results up, in their order, whoever it is: the same bits every time.
// Parameters as two_pass.
// Expects   anything.
// Lacks     nothing that two_pass has; the last block's sum is one round trip instead of a launch.
#include "common/semaphore.cuh"
#include "sums.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
dot(const DTYPE* __restrict__ X, const DTYPE* __restrict__ Y, float* __restrict__ S, long long N, float* partial,
    unsigned* arrived) {
  __shared__ bool last;
  const float own = over_block(own_share(X, Y, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = own;
    last = arrive_as_last(arrived, gridDim.x);
  }
  __syncthreads();
  if (!last) return;
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) sum += __ldcg(partial + i);
  sum = over_block(sum);
  if (threadIdx.x == 0) S[0] = sum;
}
