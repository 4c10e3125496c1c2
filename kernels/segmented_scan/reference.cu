// What Y should be: each block has a part of the row, and adds up what lies before it and belongs to its first segment.
#include "common/reference_parts.cuh"
#include "common/types.cuh"

#if DTYPE_INT32
using Exact = unsigned long long;
__device__ ACC number(unsigned long long sum) { return static_cast<ACC>(static_cast<int>(sum)); }  // wraps around
#else
using Exact = ACC;
__device__ ACC number(ACC sum) { return sum; }
#endif

struct Sums {
  Exact sum;
  ACC square;
  int restarted;  // a segment began
};
__device__ __forceinline__ Sums join(const Sums& a, const Sums& b) {
  if (b.restarted != 0) return b;
  return {a.sum + b.sum, a.square + b.square, a.restarted};
}
__device__ __forceinline__ long long later(long long a, long long b) { return a > b ? a : b; }

__device__ __forceinline__ bool is_first(const int* keys, long long i) { return i == 0 || keys[i] != keys[i - 1]; }
__device__ __forceinline__ Sums of(const DTYPE* X, const int* keys, long long i) {
  const ACC x = static_cast<ACC>(X[i]);
  return {static_cast<Exact>(X[i]), x * x, is_first(keys, i) ? 1 : 0};
}

/// Of the whole block: what comes before `end` since the last segment began.
__device__ Sums carried(const DTYPE* X, const int* keys, long long end) {
  const long long t = threadIdx.x;
  long long first = 0;
#pragma unroll 8
  for (long long i = t; i < end; i += parts::kThreads)
    if (is_first(keys, i)) first = i;
  first = parts::join_block(first, 0LL, later).all;
  Sums mine = {0, 0, 0};
#pragma unroll 8
  for (long long i = first + t; i < end; i += parts::kThreads) {
    const Sums one = of(X, keys, i);
    mine = {mine.sum + one.sum, mine.square + one.square, 0};
  }
  return parts::join_block(mine, Sums{0, 0, 0}, join).all;
}

extern "C" __global__ void __launch_bounds__(1024)
reference(const DTYPE* X, const int* keys, int N, ACC* value, ACC* scale) {
  const parts::Part part = parts::of_block(N);
  Sums carry = carried(X, keys, part.begin);
  for (long long tile = part.begin; tile < part.end; tile += parts::kTile) {
    const parts::Part own = parts::of_thread(tile, part);
    Sums mine = {0, 0, 0};
    for (long long i = own.begin; i < own.end; ++i) mine = join(mine, of(X, keys, i));
    const parts::Joined<Sums> joined = parts::join_block(mine, Sums{0, 0, 0}, join);
    Sums sums = join(carry, joined.before);
    for (long long i = own.begin; i < own.end; ++i) {
      const Sums before = is_first(keys, i) ? Sums{0, 0, 0} : sums;
      sums = join(sums, of(X, keys, i));
      value[i] = number(EXCLUSIVE ? before.sum : sums.sum);
      scale[i] = sqrt(EXCLUSIVE ? before.square : sums.square);
    }
    carry = join(carry, joined.all);
  }
}
