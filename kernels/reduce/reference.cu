// What S should be: value = sum(x), scale = sqrt(sum(x^2)), by one block of 1024 threads.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(1024)
reference(const DTYPE* X, int N, ACC* value, ACC* scale) {
  __shared__ ACC sums[1024];
  __shared__ ACC squares[1024];
  ACC sum = 0;
  ACC square = 0;
#pragma unroll 8
  for (long long i = threadIdx.x; i < N; i += 1024) {
    const ACC x = to_float(X[i]);
    sum += x;
    square += x * x;
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
