// Judges Y, and counts what is selected. One block of 1024 threads, each with a part of X: how many of each part, then the
// parts again.
#include "chosen.cuh"

__device__ bool is_chosen(const DTYPE* X, long long i, float limit) {
  if (WHAT != 2) return is_below(number_of(X[i]), limit);
  return i == 0 || number_of(X[i]) != number_of(X[i - 1]);
}

__device__ bool same(DTYPE a, DTYPE b) {  // NaN is NaN, but -0 is not 0
  const Number x = number_of(a), y = number_of(b);
#if DTYPE_FP64
  return x != x ? y != y : __double_as_longlong(x) == __double_as_longlong(y);
#elif DTYPE_INT32
  return x == y;
#else
  return x != x ? y != y : __float_as_uint(x) == __float_as_uint(y);
#endif
}

struct Part {
  long long begin, end;
  int chosen;  // of it
  int before;  // of the parts before it
};

__device__ Part counted(const DTYPE* X, int N, float limit) {
  __shared__ int counts[1024];
  const int t = static_cast<int>(threadIdx.x);
  const long long size = (N + 1023LL) / 1024;
  Part part = {t * size, t * size + size < N ? t * size + size : N, 0, 0};
  for (long long i = part.begin; i < part.end; ++i) part.chosen += is_chosen(X, i, limit);
  counts[t] = part.chosen;
  __syncthreads();
  for (int i = 0; i < t; ++i) part.before += counts[i];
  return part;
}

extern "C" __global__ void __launch_bounds__(1024)
count_selected(const DTYPE* X, int N, float limit, ACC* value, ACC* scale) {
  const Part part = counted(X, N, limit);
  if (threadIdx.x != 1023) return;
  value[0] = part.before + part.chosen;
  scale[0] = 0;
}

extern "C" __global__ void __launch_bounds__(1024)
checker(const DTYPE* X, const DTYPE* Y, int N, float limit, float* error, int* code) {
  __shared__ int worst;
  if (threadIdx.x == 0) worst = 0;
  const Part part = counted(X, N, limit);
  long long chosen = part.before, others = part.begin - part.before;
  int found = 0;
  for (long long i = part.begin; i < part.end; ++i) {
    if (is_chosen(X, i, limit)) {
      if (!same(Y[chosen++], X[i])) found = 1;
    } else if (WHAT == 1) {
      if (!same(Y[N - 1 - others++], X[i]) && found == 0) found = 2;
    }
  }
  atomicMax(&worst, found);
  __syncthreads();
  if (threadIdx.x != 0) return;
  code[0] = worst;
  error[0] = worst == 0 ? 0.0f : 2.0f;
}
