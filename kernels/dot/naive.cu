// Rung 0, naive: one block.
//
// Idea      the definition: a block of 1024 threads strides over both vectors, and adds up what its threads have.
// Expects   anything.
// Lacks     the other multiprocessors, and wide accesses.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(1024)
dot(const DTYPE* __restrict__ X, const DTYPE* __restrict__ Y, float* __restrict__ S, long long N) {
  __shared__ float sums[1024];
  float sum = 0.0f;
  for (long long i = threadIdx.x; i < N; i += 1024) sum = fmaf(to_float(X[i]), to_float(Y[i]), sum);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) S[0] = sums[0];
}
