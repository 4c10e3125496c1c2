// The K largest of a row by K arg-max passes over shared memory, a row a block.
//
// Idea        the row is read once; after each pass the element that was taken becomes -inf.
// Parameters  THREADS of a block.
// Expects     K <= N, rows that fit into shared memory, no NaN.
// Lacks       K passes: a radix select would need few, whatever K is.
#include "common/types.cuh"

__device__ float minus_infinity() { return __int_as_float(0xff800000); }

struct Best {
  float value;
  int at;
};

// The larger, and of equal ones the first: the same result in whatever order.
__device__ Best better(Best a, Best b) {
  return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    row_per_block(const DTYPE* X, DTYPE* values, int* indices, int N, int K) {
  extern __shared__ float row[];
  __shared__ Best of_warp[THREADS / 32];
  const long long first = static_cast<long long>(blockIdx.x) * N;
  for (int i = threadIdx.x; i < N; i += THREADS) row[i] = to_float(X[first + i]);
  __syncthreads();
  for (int k = 0; k < K; ++k) {
    Best best = {minus_infinity(), 0x7fffffff};
    for (int i = threadIdx.x; i < N; i += THREADS) best = better(best, {row[i], i});
    for (int lanes = 16; lanes > 0; lanes /= 2)
      best = better(best, {__shfl_xor_sync(~0u, best.value, lanes), __shfl_xor_sync(~0u, best.at, lanes)});
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int warp = 1; warp < THREADS / 32; ++warp) best = better(best, of_warp[warp]);
      values[blockIdx.x * static_cast<long long>(K) + k] = from_float<DTYPE>(best.value);
      indices[blockIdx.x * static_cast<long long>(K) + k] = best.at;
      row[best.at] = minus_infinity();  // taken
    }
    __syncthreads();
  }
}
