// What Y should be, one block of 256 threads per row: of what row i of a matrix sees, columns 0 to i + N - M, value =
// y, scale = (1 + |x - max| + sqrt(N)) y; of the others both are 0. Place j < count is row index[j], or row j when
// index is null. Any grid.
#include "common/types.cuh"

/// Combined over the block's threads; `partial` holds 256 values. Every thread gets the result.
template <typename Combine>
__device__ __forceinline__ ACC over_block(ACC own, ACC* partial, Combine combine) {
  __syncthreads();  // an earlier result may still be read
  partial[threadIdx.x] = own;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  return partial[0];
}

__device__ __forceinline__ void row_of_softmax(const DTYPE* x, int seen, int N, ACC* partial, ACC* value, ACC* scale) {
  ACC largest = to_float(x[0]);
  for (int i = threadIdx.x; i < seen; i += 256) largest = largest < to_float(x[i]) ? ACC(to_float(x[i])) : largest;
  largest = over_block(largest, partial, [](ACC a, ACC b) { return a < b ? b : a; });

  ACC sum = 0;
  for (int i = threadIdx.x; i < seen; i += 256) sum += exp(to_float(x[i]) - largest);
  sum = over_block(sum, partial, [](ACC a, ACC b) { return a + b; });

  for (int i = threadIdx.x; i < N; i += 256) {
    value[i] = scale[i] = 0;
    if (i >= seen) continue;
    const ACC below = largest - to_float(x[i]);
    value[i] = exp(-below) / sum;
    scale[i] = value[i] == 0 ? ACC(0) : (1 + below + sqrt(ACC(N))) * value[i];  // not 0 times infinity
  }
}

extern "C" __global__ void __launch_bounds__(256)
reference(const DTYPE* X, int M, int N, const long long* index, long long count, ACC* value, ACC* scale) {
  __shared__ ACC partial[256];
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long row = index == nullptr ? place : index[place];
    const int seen = static_cast<int>(row % M) + 1 + N - M;
    row_of_softmax(X + row * N, seen, N, partial, value + place * N, scale + place * N);
  }
}
