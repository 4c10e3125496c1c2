// What Y should be, one block of 256 threads per row: value = g (x - m) / d + b, d the root of variance + epsilon; scale as
// docs/tolerance.md has it. Place j < count is row index[j], or row j when index is null. Any grid.
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

__device__ __forceinline__ void row_of_layernorm(const DTYPE* x, const DTYPE* g, const DTYPE* b, int N, float epsilon,
                                                ACC* partial, ACC* value, ACC* scale) {
  ACC sum = 0, squares = 0;
  for (int i = threadIdx.x; i < N; i += 256) sum += to_float(x[i]);
  const ACC mean = over_block(sum, partial) / N;
  for (int i = threadIdx.x; i < N; i += 256) {
    const ACC apart = to_float(x[i]) - mean;
    squares += apart * apart;
  }
  const ACC root = sqrt(over_block(squares, partial) / N + ACC(epsilon)), length = sqrt(ACC(N)) / 4;
  for (int i = threadIdx.x; i < N; i += 256) {
    const ACC gamma = to_float(g[i]), beta = to_float(b[i]), number = to_float(x[i]);
    const ACC scaled = gamma * (number - mean) / root;
    value[i] = scaled + beta;
    scale[i] = size_of(gamma) * (1 + (size_of(number) + (1 + length) * size_of(mean)) / root) +
               (3 + length) * size_of(scaled) + size_of(beta);
  }
}

extern "C" __global__ void __launch_bounds__(256)
reference(const DTYPE* X, const DTYPE* G, const DTYPE* B, int N, float epsilon, const long long* index, long long count,
          ACC* value, ACC* scale) {
  __shared__ ACC partial[256];
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long row = index == nullptr ? place : index[place];
    row_of_layernorm(X + row * N, G, B, N, epsilon, partial, value + place * N, scale + place * N);
  }
}
