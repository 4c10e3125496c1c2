// Counts what is selected, and judges Y: each block a part of X. Nothing of chosen.cuh: a mistake there would be right here.
#include "common/computed_type.cuh"
#include "common/reference_parts.cuh"

__device__ bool is_chosen(const DTYPE* X, long long i, float limit) {
  if (WHAT != 2) return static_cast<double>(number_of(X[i])) < static_cast<double>(limit);
  return i == 0 || number_of(X[i]) != number_of(X[i - 1]);
}

__device__ bool same(DTYPE a, DTYPE b) {  // bit for bit: -0 is not 0, and a NaN is not any
  const Number x = number_of(a), y = number_of(b);
#if DTYPE_FP64
  return __double_as_longlong(x) == __double_as_longlong(y);
#elif DTYPE_INT32
  return x == y;
#else
  return __float_as_uint(x) == __float_as_uint(y);
#endif
}

__device__ __forceinline__ long long add(long long a, long long b) { return a + b; }

/// Of the whole block: how many are selected from `begin` up to `end`.
__device__ long long chosen_in(const DTYPE* X, long long begin, long long end, float limit) {
  long long own = 0;
#pragma unroll 8
  for (long long i = begin + threadIdx.x; i < end; i += parts::kThreads) own += is_chosen(X, i, limit);
  return parts::join_block(own, 0LL, add).all;
}

extern "C" __global__ void __launch_bounds__(1024)
count_parts(const DTYPE* X, long long N, float limit, long long* counts) {
  constexpr long long kPart = 65536;  // numbers of a block
  const parts::Part part = parts::part_of(kPart * blockIdx.x, kPart, N);
  const long long own = chosen_in(X, part.begin, part.end, limit);
  if (threadIdx.x == 0) counts[blockIdx.x] = own;
}

extern "C" __global__ void __launch_bounds__(1024)
count_selected(const long long* counts, int count, ACC* value, ACC* scale) {
  long long own = 0;
  for (int part = static_cast<int>(threadIdx.x); part < count; part += parts::kThreads) own += counts[part];
  const long long all = parts::join_block(own, 0LL, add).all;
  if (threadIdx.x != 0) return;
  value[0] = static_cast<ACC>(all);
  scale[0] = 0;
}

/// Of a thread's own numbers, `chosen` of which are selected before them: 1 or 2 where Y has not what it should.
__device__ int judged(const DTYPE* X, const DTYPE* Y, long long N, float limit, const parts::Part& own, long long chosen) {
  long long others = own.begin - chosen;
  int found = 0;
  for (long long i = own.begin; i < own.end; ++i) {
    if (is_chosen(X, i, limit)) {
      if (!same(Y[chosen++], X[i])) found = 1;
    } else if (WHAT == 1) {
      if (!same(Y[N - 1 - others++], X[i]) && found == 0) found = 2;
    }
  }
  return found;
}

extern "C" __global__ void __launch_bounds__(1024)
checker(const DTYPE* X, const DTYPE* Y, long long N, float limit, float* error, int* code) {
  const parts::Part part = parts::of_block(N);
  long long chosen = chosen_in(X, 0, part.begin, limit);
  for (long long tile = part.begin; tile < part.end; tile += parts::kTile) {
    const parts::Part own = parts::of_thread(tile, part);
    long long mine = 0;
    for (long long i = own.begin; i < own.end; ++i) mine += is_chosen(X, i, limit);
    const parts::Joined<long long> sum = parts::join_block(mine, 0LL, add);
    const int found = judged(X, Y, N, limit, own, chosen + sum.before);
    if (found != 0) parts::tell_wrong(error, code, found);
    chosen += sum.all;
  }
  if (threadIdx.x == 0) parts::tell_right(error, code);
}
