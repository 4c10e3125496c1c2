// What dX should be, one block of 256 threads per row: value = y (dy - s), s the sum of y dy over the row; scale = |y|
// (2 |dy - s| + (1 + sqrt(N) / 4) (sum |y dy| + 2^-124)). Place j < count is row index[j], or row j when index is null. Any
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

/// Products below fp32's normal numbers are multiples of 2^-149, each off by u 2^-126; with room for several of them.
constexpr double kLeast = 4.70197740328915e-38;  // 2^-124

__device__ __forceinline__ ACC size_of(ACC a) { return a < 0 ? -a : a; }

__device__ __forceinline__ void row_of_gradient(const DTYPE* y, const DTYPE* dy, int N, ACC* partial, ACC* value,
                                                ACC* scale) {
  ACC own = 0, own_size = 0;
  for (int i = threadIdx.x; i < N; i += 256) {
    const ACC product = ACC(to_float(y[i])) * ACC(to_float(dy[i]));
    own += product;
    own_size += size_of(product);
  }
  const ACC sum = over_block(own, partial), size = over_block(own_size, partial);
  const ACC of_sum = (1 + sqrt(ACC(N)) / 4) * (size + ACC(kLeast));
  for (int i = threadIdx.x; i < N; i += 256) {
    const ACC factor = to_float(y[i]), apart = to_float(dy[i]) - sum;
    value[i] = factor * apart;
    scale[i] = size_of(factor) * (2 * size_of(apart) + of_sum);
  }
}

extern "C" __global__ void __launch_bounds__(256)
reference(const DTYPE* Y, const DTYPE* dY, int N, const long long* index, long long count, ACC* value, ACC* scale) {
  __shared__ ACC partial[256];
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long row = index == nullptr ? place : index[place];
    row_of_gradient(Y + row * N, dY + row * N, N, partial, value + place * N, scale + place * N);
  }
}
