// What R and Y should be. sums: value = round(r + x). reference, one block of 256 threads per row: s = round(r + x), value
// = g s / d, d the root of the mean of s^2 + epsilon; scale as docs/tolerance.md has it for norms, with a mean of 0.
// Place j < count is index[j], or j when index is null. Any grid.
#include "common/types.cuh"

/// The residual as it is written. The sum of two 16-bit numbers is rounded the same from fp32 as from more.
__device__ __forceinline__ float written(DTYPE x, DTYPE r) {
  return to_float(from_float<DTYPE>(to_float(r) + to_float(x)));
}

extern "C" __global__ void __launch_bounds__(256)
sums(const DTYPE* X, const DTYPE* R, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  value[place] = written(X[i], R[i]);
  scale[place] = 0;
}

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

__device__ __forceinline__ void row_of_norm(const DTYPE* x, const DTYPE* r, const DTYPE* g, int N, float epsilon,
                                            ACC* partial, ACC* value, ACC* scale) {
  ACC squares = 0;
  for (int i = threadIdx.x; i < N; i += 256) squares += ACC(written(x[i], r[i])) * written(x[i], r[i]);
  const ACC root = sqrt(over_block(squares, partial) / N + ACC(epsilon));
  for (int i = threadIdx.x; i < N; i += 256) {
    value[i] = ACC(to_float(g[i])) * written(x[i], r[i]) / root;
    scale[i] = (4 + sqrt(ACC(N)) / 4) * size_of(value[i]);
  }
}

extern "C" __global__ void __launch_bounds__(256)
reference(const DTYPE* X, const DTYPE* R, const DTYPE* G, int N, float epsilon, const long long* index, long long count,
          ACC* value, ACC* scale) {
  __shared__ ACC partial[256];
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long row = index == nullptr ? place : index[place];
    row_of_norm(X + row * N, R + row * N, G, N, epsilon, partial, value + place * N, scale + place * N);
  }
}
