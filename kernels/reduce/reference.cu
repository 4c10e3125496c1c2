// What S should be: of parts, a block each, and then of all. Of a sum scale = sqrt(sum(x^2)); the others are exact.
#include "common/types.cuh"

#if DTYPE_INT32
using Sum = long long;
__device__ ACC number(long long sum) { return static_cast<ACC>(static_cast<int>(sum)); }  // wraps around
#else
using Sum = ACC;
__device__ ACC number(ACC sum) { return sum; }
#endif

__device__ Sum joined(Sum a, Sum b) {
  if (OP == 0) return a + b;
  if (a != a || b != b) return a != a ? a : b;
  return (OP == 1) == (a < b) ? b : a;
}

struct Part {
  Sum sum;
  ACC square;
};

/// Of the first `count` threads of the block, in thread 0.
__device__ Part over_block(Part own, long long count) {
  __shared__ Part parts[1024];
  const int thread = static_cast<int>(threadIdx.x);
  parts[thread] = own;
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (thread < half && thread + half < count) {
      parts[thread].sum = joined(parts[thread].sum, parts[thread + half].sum);
      parts[thread].square += parts[thread + half].square;
    }
    __syncthreads();
  }
  return parts[0];
}

/// A grid that strides over X; where there are several blocks, each of their threads has an element.
extern "C" __global__ void __launch_bounds__(1024) reduce_parts(const DTYPE* X, long long N, Part* parts) {
  const long long first = 1024LL * blockIdx.x + threadIdx.x, step = 1024LL * gridDim.x;
  Part own = {0, 0};
#pragma unroll 8
  for (long long i = first; i < N; i += step) {
#if DTYPE_INT32 || DTYPE_FP64
    const Sum x = X[i];
#else
    const Sum x = to_float(X[i]);
#endif
    own.sum = i == first ? x : joined(own.sum, x);
    own.square += static_cast<ACC>(x) * static_cast<ACC>(x);
  }
  own = over_block(own, N - 1024LL * blockIdx.x);
  if (threadIdx.x == 0) parts[blockIdx.x] = own;
}

extern "C" __global__ void __launch_bounds__(1024)
reference(const Part* parts, int count, ACC* value, ACC* scale) {
  const Part own = static_cast<int>(threadIdx.x) < count ? parts[threadIdx.x] : Part{0, 0};
  const Part all = over_block(own, count);
  if (threadIdx.x == 0) {
    value[0] = number(all.sum);
    scale[0] = OP == 0 ? sqrt(all.square) : ACC(0);
  }
}
