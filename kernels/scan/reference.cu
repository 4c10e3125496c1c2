// What Y should be: each block has a part of the row, and adds up what lies before it.
#include "common/reference_parts.cuh"
#include "common/types.cuh"

#if DTYPE_FP32 || DTYPE_FP64
using Sum = ACC;
__device__ ACC number(ACC sum) { return sum; }
#else
using Sum = unsigned long long;
__device__ ACC number(unsigned long long sum) { return static_cast<ACC>(static_cast<DTYPE>(sum)); }  // wraps around
#endif

struct Sums {
  Sum sum;
  ACC square;
};
__device__ __forceinline__ Sums add(const Sums& a, const Sums& b) { return {a.sum + b.sum, a.square + b.square}; }
__device__ __forceinline__ Sums of(DTYPE x) {
  return {static_cast<Sum>(x), static_cast<ACC>(x) * static_cast<ACC>(x)};
}

extern "C" __global__ void __launch_bounds__(1024) reference(const DTYPE* X, int N, ACC* value, ACC* scale) {
  const parts::Part part = parts::of_block(N);
  Sums mine = {0, 0};
#pragma unroll 8
  for (long long i = threadIdx.x; i < part.begin; i += parts::kThreads) mine = add(mine, of(X[i]));
  Sums carry = parts::join_block(mine, Sums{0, 0}, add).all;
  for (long long tile = part.begin; tile < part.end; tile += parts::kTile) {
    const parts::Part own = parts::of_thread(tile, part);
    mine = {0, 0};
    for (long long i = own.begin; i < own.end; ++i) mine = add(mine, of(X[i]));
    const parts::Joined<Sums> joined = parts::join_block(mine, Sums{0, 0}, add);
    Sums sums = add(carry, joined.before);
    for (long long i = own.begin; i < own.end; ++i) {
      const Sums after = add(sums, of(X[i]));
      value[i] = number(EXCLUSIVE ? sums.sum : after.sum);
      scale[i] = sqrt(EXCLUSIVE ? sums.square : after.square);
      sums = after;
    }
    carry = add(carry, joined.all);
  }
}
