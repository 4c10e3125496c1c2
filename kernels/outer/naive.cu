// Rung 0, naive: one thread an element.
//
// Idea      the definition. Stores are coalesced; both factors are read for every element, from cache.
// Expects   anything.
// Lacks     wide stores, and factors that are read once.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
outer(const DTYPE* __restrict__ X, const DTYPE* __restrict__ Y, DTYPE* __restrict__ A, int M, int N) {
  const long long column = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (column >= N) return;
  for (long long row = blockIdx.y; row < M; row += gridDim.y)
    A[row * N + column] = from_float<DTYPE>(to_float(X[row]) * to_float(Y[column]));
}
