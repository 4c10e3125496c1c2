// Rung 6, one_launch: every block reduces its share, and the block that comes last joins the blocks' results.
//
// Idea      UNROLL accesses of ACCESS bytes are on their way in each thread. Blocks count themselves in a word of memory
//           after their result is written (an atomic that releases and acquires); who comes last joins all results in
//           their order, whoever it is: the same bits every time.
// Parameters THREADS a block; ACCESS bytes an access, VEC elements; UNROLL accesses in flight a thread; BLOCKS an SM; INDEX,
//           the type of N.
// Expects   anything.
// Measured  on an H100, 2^27 fp32: 173.4 us, 3.10 TB/s (THREADS=256 UNROLL=4 BLOCKS=8); torch.sum in the same process
//           181.0 us.
// Lacks     nothing that two_pass has; the last block's part is one round trip instead of a launch.
#include "common/semaphore.cuh"
#include "share.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
reduce(const DTYPE* __restrict__ X, Number* __restrict__ S, INDEX N, Number* partial, unsigned* arrived) {
  __shared__ bool last;
  Number own = over_block(own_share(X, N));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = own;
    last = arrive_as_last(arrived, gridDim.x);
  }
  __syncthreads();
  if (!last) return;
  own = nothing();
  for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) own = combine(own, __ldcg(partial + i));
  own = over_block(own);
  if (threadIdx.x == 0) S[0] = own;
}
