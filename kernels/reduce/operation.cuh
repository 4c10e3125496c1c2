#pragma once
// What is reduced (common/reduction.cuh), and by a block.
#include "common/reduction.cuh"

/// Of the block, in thread 0, always in the same order. May be called again after a barrier.
__device__ __forceinline__ Number over_block(Number own) {
  __shared__ Number words[THREADS / 32];
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) own = combine(own, __shfl_xor_sync(0xffffffffU, own, lanes));
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x == 0)
#pragma unroll
    for (int warp = 1; warp < THREADS / 32; ++warp) own = combine(own, words[warp]);
  return own;
}
