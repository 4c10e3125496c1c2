#pragma once
// over_row (row_reduce.cuh) at one barrier instead of two, for persistent blocks, which reduce row after row.
#include "common/rows/row_reduce.cuh"

/// Over the Lanes threads of each row, at least 32, a power of two. All threads of the block call it and get their row's
/// value. One barrier of the block; `words`: shared memory, one Value for each warp of the block, of which the next call
/// gets others: who comes to its barrier has read these.
template <int Lanes, typename Value, typename Combine>
__device__ __forceinline__ Value over_row_once(Value own, Value* words, Combine combine) {
  own = over_lanes<32>(own, combine);
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = own;
  __syncthreads();
  constexpr int kWarps = Lanes / 32;
  return over_lanes<kWarps>(words[threadIdx.x / Lanes * kWarps + threadIdx.x % kWarps], combine);
}
