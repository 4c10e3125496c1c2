// What S should be: value = sum(x y), scale = sqrt(sum((x y)^2)), by one block of 1024 threads.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(1024)
reference(const DTYPE* X, const DTYPE* Y, long long N, ACC* value, ACC* scale) {
  __shared__ ACC sums[1024];
  __shared__ ACC squares[1024];
  ACC sum = 0, square = 0;
#pragma unroll 8
  for (long long i = threadIdx.x; i < N; i += 1024) {
    const ACC product = ACC(to_float(X[i])) * ACC(to_float(Y[i]));
    sum += product;
    square += product * product;
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    value[0] = sums[0];
    scale[0] = sqrt(squares[0]);
  }
}
