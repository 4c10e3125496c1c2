// What Y should be, `team` threads a row or column: neighbours read neighbouring elements. Of a sum scale = sqrt(sum(x^2)); the others are exact.
#include "common/types.cuh"

#if DTYPE_INT32
using Sum = long long;
__device__ ACC number(long long sum) { return static_cast<ACC>(static_cast<int>(sum)); }  // wraps around
#else
using Sum = ACC;
__device__ ACC number(ACC sum) { return sum; }
#endif

__device__ Sum read(DTYPE x) {
#if DTYPE_INT32 || DTYPE_FP64
  return x;
#else
  return to_float(x);
#endif
}

__device__ Sum joined(Sum a, Sum b) {
  if (OP == 0) return a + b;
  if (a != a || b != b) return a != a ? a : b;
  return (OP == 1) == (a < b) ? b : a;
}

extern "C" __global__ void __launch_bounds__(1024)
reference(const DTYPE* X, int M, int N, int team, const long long* index, long long count, ACC* value, ACC* scale) {
  __shared__ Sum sums[1024];
  __shared__ ACC squares[1024];
  const int t = static_cast<int>(threadIdx.x), each = 1024 / team;
  const int which = COLUMNS ? t % each : t / team, own = COLUMNS ? t / each : t % team;
  const int at = which * team + own;
  const long long j = static_cast<long long>(blockIdx.x) * each + which;
  const long long length = COLUMNS ? M : N, step = COLUMNS ? N : 1;
  if (j < count) {
    const long long i = index == nullptr ? j : index[j];
    const DTYPE* x = COLUMNS ? X + i : X + i * N;
    Sum sum = read(x[own * step]);
    ACC square = static_cast<ACC>(sum) * static_cast<ACC>(sum);
#pragma unroll 8
    for (long long k = own + team; k < length; k += team) {
      const Sum next = read(x[k * step]);
      sum = joined(sum, next);
      square += static_cast<ACC>(next) * static_cast<ACC>(next);
    }
    sums[at] = sum;
    squares[at] = square;
  }
  __syncthreads();
  for (int half = team / 2; half > 0; half /= 2) {
    if (j < count && own < half) {
      sums[at] = joined(sums[at], sums[at + half]);
      squares[at] += squares[at + half];
    }
    __syncthreads();
  }
  if (j >= count || own != 0) return;
  value[j] = number(sums[at]);
  scale[j] = OP == 0 ? sqrt(squares[at]) : ACC(0);
}
