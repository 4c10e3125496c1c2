// What Y should be, by one block of 1024 threads, each with a part of the row: sums of the parts, then the elements.
#include "common/types.cuh"

#if DTYPE_INT32
using Exact = unsigned long long;
__device__ ACC number(unsigned long long sum) { return static_cast<ACC>(static_cast<int>(sum)); }  // wraps around
#else
using Exact = ACC;
__device__ ACC number(ACC sum) { return sum; }
#endif

extern "C" __global__ void __launch_bounds__(1024)
reference(const DTYPE* X, const int* keys, int N, ACC* value, ACC* scale) {
  __shared__ Exact sums[1024];
  __shared__ ACC squares[1024];
  __shared__ bool restarts[1024];
  const int t = static_cast<int>(threadIdx.x);
  const long long part = (N + 1023LL) / 1024;
  const long long begin = t * part;
  const long long end = begin + part < N ? begin + part : N;
  Exact sum = 0;
  ACC square = 0;
  bool restarted = false;
  const auto restart = [&](long long i) {
    if (i > 0 && keys[i] == keys[i - 1]) return;
    sum = 0;
    square = 0;
    restarted = true;
  };
  const auto add = [&](long long i) {
    sum += static_cast<Exact>(X[i]);
    square += static_cast<ACC>(X[i]) * static_cast<ACC>(X[i]);
  };
  for (long long i = begin; i < end; ++i) {
    restart(i);
    add(i);
  }
  sums[t] = sum;
  squares[t] = square;
  restarts[t] = restarted;
  __syncthreads();
  if (t == 0) {
    sum = 0;
    square = 0;
    for (int i = 0; i < 1024; ++i) {
      const Exact own = sums[i];
      const ACC own_square = squares[i];
      sums[i] = sum;
      squares[i] = square;
      sum = restarts[i] ? own : sum + own;
      square = restarts[i] ? own_square : square + own_square;
    }
  }
  __syncthreads();
  sum = sums[t];
  square = squares[t];
  for (long long i = begin; i < end; ++i) {
    restart(i);
    if (EXCLUSIVE) {
      value[i] = number(sum);
      scale[i] = sqrt(square);
    }
    add(i);
    if (!EXCLUSIVE) {
      value[i] = number(sum);
      scale[i] = sqrt(square);
    }
  }
}
