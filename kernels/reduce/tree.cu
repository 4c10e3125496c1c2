// Rungs 0 to 3, one element a thread: how the threads of a block meet. ORDER says it.
//
// Idea      0, divergent: every other thread joins its neighbour, then every fourth ...: half of the threads of each warp
//           are idle, and all warps go on to the end.
//           1, strided: the threads that work are the first ones, so that whole warps are idle; what they read lies
//           2, 4, 8 ... words apart, in the same banks.
//           2, sequential: the first half joins the second: neighbours read neighbours, no conflicts.
//           3, shuffled: a warp needs neither shared memory nor barriers; one word a warp is left for the block.
//           Then blocks of partials are joined the same way, until one block does the rest.
// Parameters THREADS a block.
// Expects   anything.
// Lacks     bytes on their way: a thread has one load, and a block goes through all steps for THREADS elements.
#include "operation.cuh"

__device__ __forceinline__ Number tree(Number own) {
  if constexpr (ORDER == 3) return over_block(own);
  __shared__ Number held[THREADS];
  const int thread = static_cast<int>(threadIdx.x);
  held[thread] = own;
  __syncthreads();
  if constexpr (ORDER == 0) {
    for (int apart = 1; apart < THREADS; apart *= 2) {
      if (thread % (2 * apart) == 0) held[thread] = combine(held[thread], held[thread + apart]);
      __syncthreads();
    }
  }
  if constexpr (ORDER == 1) {
    for (int apart = 1; apart < THREADS; apart *= 2) {
      const int at = 2 * apart * thread;
      if (at < THREADS) held[at] = combine(held[at], held[at + apart]);
      __syncthreads();
    }
  }
  if constexpr (ORDER == 2) {
    for (int apart = THREADS / 2; apart > 0; apart /= 2) {
      if (thread < apart) held[thread] = combine(held[thread], held[thread + apart]);
      __syncthreads();
    }
  }
  return held[0];
}

extern "C" __global__ void __launch_bounds__(THREADS)
reduce_elements(const DTYPE* __restrict__ X, Number* __restrict__ partial, long long N) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  const Number own = tree(i < N ? number_of(X[i]) : nothing());
  if (threadIdx.x == 0) partial[blockIdx.x] = own;
}

extern "C" __global__ void __launch_bounds__(THREADS)
reduce_partials(const Number* __restrict__ partial, Number* __restrict__ next, int count) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  const Number own = tree(i < count ? partial[i] : nothing());
  if (threadIdx.x == 0) next[blockIdx.x] = own;
}

extern "C" __global__ void __launch_bounds__(THREADS)
reduce_rest(const Number* __restrict__ partial, Number* __restrict__ S, int count) {
  Number own = nothing();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += THREADS) own = combine(own, partial[i]);
  own = tree(own);
  if (threadIdx.x == 0) S[0] = own;
}
