// What S should be, by one block of 1024 threads. Of a sum scale = sqrt(sum(x^2)); the others are exact.
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

extern "C" __global__ void __launch_bounds__(1024)
reference(const DTYPE* X, int N, ACC* value, ACC* scale) {
  __shared__ Sum sums[1024];
  __shared__ ACC squares[1024];
  Sum sum = 0;
  ACC square = 0;
#pragma unroll 8
  for (long long i = threadIdx.x; i < N; i += 1024) {
#if DTYPE_INT32 || DTYPE_FP64
    const Sum x = X[i];
#else
    const Sum x = to_float(X[i]);
#endif
    sum = i == threadIdx.x ? x : joined(sum, x);
    square += static_cast<ACC>(x) * static_cast<ACC>(x);
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (threadIdx.x < half && threadIdx.x + half < N) {
      sums[threadIdx.x] = joined(sums[threadIdx.x], sums[threadIdx.x + half]);
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    value[0] = number(sums[0]);
    scale[0] = OP == 0 ? sqrt(squares[0]) : ACC(0);
  }
}
