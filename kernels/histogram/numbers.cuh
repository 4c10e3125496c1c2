#pragma once
// Numbers of a grid that strides over X, a tile a block. The includer defines THREADS and UNROLL.
#include "common/types.cuh"

constexpr int kVec = 4;
constexpr int kTile = THREADS * UNROLL * kVec;
constexpr unsigned kNone = 0xffffffffU;

/// count(number) for each number that this thread has, or kNone behind the end: as often in every thread of the block.
template <typename Count>
__device__ __forceinline__ void each_number(const unsigned* X, long long N, Count count) {
  const long long step = static_cast<long long>(gridDim.x) * kTile;
  for (long long first = static_cast<long long>(blockIdx.x) * kTile; first < N; first += step) {
    Vector<unsigned, kVec> held[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const long long at = first + (u * THREADS + static_cast<int>(threadIdx.x)) * kVec;
      if (first + kTile <= N) {
        held[u] = *reinterpret_cast<const Vector<unsigned, kVec>*>(X + at);
      } else {
#pragma unroll
        for (int e = 0; e < kVec; ++e) held[u].at[e] = at + e < N ? X[at + e] : kNone;
      }
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
#pragma unroll
      for (int e = 0; e < kVec; ++e) count(held[u].at[e]);
  }
}

/// Lanes with the same number add their count at once: one atomic for each number of the warp. All lanes call it.
__device__ __forceinline__ void add_together(unsigned* counts, unsigned number) {
  const unsigned lanes = __match_any_sync(0xffffffffU, number);
  const int first = __ffs(static_cast<int>(lanes)) - 1;
  if (static_cast<int>(threadIdx.x) % 32 == first && number != kNone) atomicAdd(counts + number, __popc(lanes));
}
__device__ __forceinline__ void add_alone(unsigned* counts, unsigned number) {
  if (number != kNone) atomicAdd(counts + number, 1U);
}

/// The counters are 0 before anybody counts: a launch of its own.
extern "C" __global__ void clear(unsigned* H, int BINS) {
  const int bin = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (bin < BINS) H[bin] = 0;
}
