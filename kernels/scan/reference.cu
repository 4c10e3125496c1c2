// What Y should be, by one block of 1024 threads, each with a part of the row: sums of the parts, then the elements.
#include "common/types.cuh"

#if DTYPE_FP32 || DTYPE_FP64
using Sum = ACC;
__device__ ACC number(ACC sum) { return sum; }
#else
using Sum = unsigned long long;
__device__ ACC number(unsigned long long sum) { return static_cast<ACC>(static_cast<DTYPE>(sum)); }  // wraps around
#endif

extern "C" __global__ void __launch_bounds__(1024) reference(const DTYPE* X, int N, ACC* value, ACC* scale) {
  __shared__ Sum sums[1024];
  __shared__ ACC squares[1024];
  const int t = static_cast<int>(threadIdx.x);
  const long long part = (N + 1023LL) / 1024;
  const long long begin = t * part;
  const long long end = begin + part < N ? begin + part : N;
  Sum sum = 0;
  ACC square = 0;
  for (long long i = begin; i < end; ++i) {
    sum += static_cast<Sum>(X[i]);
    square += static_cast<ACC>(X[i]) * static_cast<ACC>(X[i]);
  }
  sums[t] = sum;
  squares[t] = square;
  __syncthreads();
  if (t == 0) {
    sum = 0;
    square = 0;
    for (int i = 0; i < 1024; ++i) {
      const Sum next = sums[i];
      const ACC next_square = squares[i];
      sums[i] = sum;
      squares[i] = square;
      sum += next;
      square += next_square;
    }
  }
  __syncthreads();
  sum = sums[t];
  square = squares[t];
  for (long long i = begin; i < end; ++i) {
    const Sum before = sum;
    const ACC square_before = square;
    sum += static_cast<Sum>(X[i]);
    square += static_cast<ACC>(X[i]) * static_cast<ACC>(X[i]);
    value[i] = number(EXCLUSIVE ? before : sum);
    scale[i] = sqrt(EXCLUSIVE ? square_before : square);
  }
}
