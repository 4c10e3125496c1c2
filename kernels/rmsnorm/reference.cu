// What Y should be, one block of 256 threads per row: value = g x / d, d the root of the mean square + epsilon; scale as
// docs/tolerance.md has it for norms, with a mean of 0. Place j < count is row index[j], or row j when index is null. Any
// grid.
#include "common/types.cuh"

/// Added up over the block's threads; `partial` holds 256 values. Every thread gets the result.
__device__ __forceinline__ ACC over_block(ACC own, ACC* partial) {
  __syncthreads();  // an earlier result may still be read
  partial[threadIdx.x] = own;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  return partial[0];
}

__device__ __forceinline__ ACC size_of(ACC a) { return a < 0 ? -a : a; }

__device__ __forceinline__ void row_of_rmsnorm(const DTYPE* x, const DTYPE* g, int N, float epsilon, ACC* partial,
                                               ACC* value, ACC* scale) {
  ACC squares = 0;
  for (int i = threadIdx.x; i < N; i += 256) squares += ACC(to_float(x[i])) * to_float(x[i]);
  const ACC root = sqrt(over_block(squares, partial) / N + ACC(epsilon));
  for (int i = threadIdx.x; i < N; i += 256) {
    value[i] = ACC(to_float(g[i])) * to_float(x[i]) / root;
    scale[i] = (4 + sqrt(ACC(N)) / 4) * size_of(value[i]);
  }
}

extern "C" __global__ void __launch_bounds__(256)
reference(const DTYPE* X, const DTYPE* G, int N, float epsilon, const long long* index, long long count, ACC* value,
          ACC* scale) {
  __shared__ ACC partial[256];
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long row = index == nullptr ? place : index[place];
    row_of_rmsnorm(X + row * N, G, N, epsilon, partial, value + place * N, scale + place * N);
  }
}
