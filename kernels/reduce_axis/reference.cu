// What Y should be, a thread a row or column. Of a sum scale = sqrt(sum(x^2)); the others are exact.
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

extern "C" __global__ void reference(const DTYPE* X, int M, int N, const long long* index, long long count, ACC* value,
                                     ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long i = index == nullptr ? j : index[j];
  const long long length = COLUMNS ? M : N, step = COLUMNS ? N : 1;
  const DTYPE* x = COLUMNS ? X + i : X + i * N;
  Sum sum = read(x[0]);
  ACC square = static_cast<ACC>(sum) * static_cast<ACC>(sum);
  for (long long k = 1; k < length; ++k) {
    const Sum next = read(x[k * step]);
    sum = joined(sum, next);
    square += static_cast<ACC>(next) * static_cast<ACC>(next);
  }
  value[j] = number(sum);
  scale[j] = OP == 0 ? sqrt(square) : ACC(0);
}
