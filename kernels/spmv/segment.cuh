#pragma once
// Sums of segments over a block: each thread has what it added up since the last segment began.
#include "common/types.cuh"

struct Segment {
  DTYPE sum;   // of the segment that is open
  bool begun;  // it began here
};

__device__ __forceinline__ Segment joined(Segment a, Segment b) { return {b.begun ? b.sum : a.sum + b.sum, a.begun || b.begun}; }

/// Of all threads up to this one; `before` is that of the thread before it, nothing for the first.
/// By all COUNT threads of the block; may be called again after a barrier.
template <int COUNT> __device__ __forceinline__ Segment scan_segments(Segment own, Segment& before) {
  __shared__ DTYPE sums[COUNT / 32];
  __shared__ int begun[COUNT / 32];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const Segment other = {__shfl_up_sync(0xffffffffU, own.sum, apart),
                           __shfl_up_sync(0xffffffffU, static_cast<int>(own.begun), apart) != 0};
    if (lane >= apart) own = joined(other, own);
  }
  if (lane == 31) {
    sums[warp] = own.sum;
    begun[warp] = own.begun;
  }
  Segment above = {__shfl_up_sync(0xffffffffU, own.sum, 1), __shfl_up_sync(0xffffffffU, static_cast<int>(own.begun), 1) != 0};
  if (lane == 0) above = {0, false};
  __syncthreads();
  Segment warps = {0, false};
  for (int w = 0; w < warp; ++w) warps = joined(warps, {sums[w], begun[w] != 0});
  before = joined(warps, above);
  return joined(warps, own);
}
