// Rung 5, atomics: every block adds its share to the result.
//
// Idea      no partial results and no second pass over them: one atomic a block.
// Parameters THREADS a block; ACCESS bytes an access, VEC elements; UNROLL accesses in flight a thread; BLOCKS an SM; INDEX,
//           the type of N.
// Expects   anything.
// Lacks     an order: sums of floats differ in their last bits from run to run. Atomics of fp32 flush subnormal numbers.
#include "share.cuh"

extern "C" __global__ void begin(Number* S) { S[0] = 0; }

extern "C" __global__ void __launch_bounds__(THREADS)
add_blocks(const DTYPE* __restrict__ X, Number* __restrict__ S, INDEX N) {
  const Number own = over_block(own_share(X, N));
  if (threadIdx.x == 0) atomicAdd(S, own);
}
