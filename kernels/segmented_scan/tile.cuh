#pragma once
// The segmented scan of a tile that a block holds in registers: ROUNDS accesses of 16 bytes of X a thread, THREADS apart. The
// includer defines THREADS and ROUNDS.
#include "common/types.cuh"

using Number = DTYPE;
constexpr unsigned kAll = 0xffffffffU;
constexpr int kVec = 16 / DTYPE_BYTES;
constexpr int kWarps = THREADS / 32;
constexpr int kWords = ROUNDS * kWarps;  ///< one a warp and round, in the order of memory
constexpr int kTile = THREADS * ROUNDS * kVec;

#if DTYPE_BYTES == 8
using Flag = long long;  // as wide as a number: no gap in a pair, which copies would read
#else
using Flag = int;
#endif

/// Of some neighbours: the sum since the last place where a segment begins, and 1 if there is one.
struct Sum {
  Number sum;
  Flag restarts;
};
__device__ __forceinline__ Sum joined(Sum a, Sum b) {
  return {b.restarts != 0 ? b.sum : a.sum + b.sum, a.restarts | b.restarts};
}

/// Of the warp: this and all lower lanes joined.
__device__ __forceinline__ Sum over_lanes(Sum own) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned begins = __ballot_sync(kAll, own.restarts != 0) & (kAll >> (31 - lane));
  const int from = begins == 0 ? 0 : 31 - __clz(static_cast<int>(begins));
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const Number other = __shfl_up_sync(kAll, own.sum, apart);
    if (lane - apart >= from) own.sum = other + own.sum;
  }
  return {own.sum, begins != 0 ? 1 : 0};
}
/// What the lane below has; nothing in the lowest.
__device__ __forceinline__ Sum of_lane_below(Sum own) {
  const Number sum = __shfl_up_sync(kAll, own.sum, 1);
  const int restarts = __shfl_up_sync(kAll, static_cast<int>(own.restarts), 1);
  return threadIdx.x % 32 == 0 ? Sum{0, 0} : Sum{sum, restarts};
}

struct Tile {
  Number x[ROUNDS][kVec];
  unsigned begins[ROUNDS];  ///< bit e: a segment begins at x[round][e]
  Sum before[ROUNDS];       ///< of the warp before x[round]

  __device__ __forceinline__ static int place(int round) {
    return (round * THREADS + static_cast<int>(threadIdx.x)) * kVec;
  }

  /// From `first` on; 0, in the last segment, behind N.
  __device__ __forceinline__ void load(const Number* X, const int* keys, long long first, long long N) {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      const long long at = first + place(r);
      int key[kVec];
      if (first + kTile <= N) {
        const auto numbers = *reinterpret_cast<const Vector<Number, kVec>*>(X + at);
        const auto some = *reinterpret_cast<const Vector<int, kVec>*>(keys + at);
#pragma unroll
        for (int e = 0; e < kVec; ++e) {
          x[r][e] = numbers.at[e];
          key[e] = some.at[e];
        }
      } else {
#pragma unroll
        for (int e = 0; e < kVec; ++e) {
          x[r][e] = at + e < N ? X[at + e] : Number(0);
          key[e] = at + e < N ? keys[at + e] : keys[N - 1];
        }
      }
      int left = __shfl_up_sync(kAll, key[kVec - 1], 1);
      if (threadIdx.x % 32 == 0 && at > 0) left = keys[at <= N ? at - 1 : N - 1];
      begins[r] = at == 0;
#pragma unroll
      for (int e = 0; e < kVec; ++e) {
        begins[r] |= static_cast<unsigned>(key[e] != left) << e;
        left = key[e];
      }
    }
  }

  /// Sets `before`, and what warps and rounds have in `words`. A barrier must follow.
  __device__ __forceinline__ void scan_warps(Sum* words) {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      Sum own = {0, 0};
#pragma unroll
      for (int e = 0; e < kVec; ++e) own = joined(own, {x[r][e], static_cast<Flag>(begins[r] >> e & 1)});
      own = over_lanes(own);
      before[r] = of_lane_below(own);
      if (threadIdx.x % 32 == 31) words[r * kWarps + threadIdx.x / 32] = own;
    }
  }

  /// The sum before the tile is `prefix`; `words` are before each warp and round.
  __device__ __forceinline__ void store(Number* Y, long long first, long long N, const Sum* words, Number prefix) const {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      Number sum = joined({prefix, 0}, joined(words[r * kWarps + threadIdx.x / 32], before[r])).sum;
      Vector<Number, kVec> out;
#pragma unroll
      for (int e = 0; e < kVec; ++e) {
        if ((begins[r] >> e & 1) != 0) sum = 0;
        out.at[e] = EXCLUSIVE ? sum : sum + x[r][e];
        sum += x[r][e];
      }
      const long long at = first + place(r);
      if (first + kTile <= N) {
        *reinterpret_cast<Vector<Number, kVec>*>(Y + at) = out;
      } else {
#pragma unroll
        for (int e = 0; e < kVec; ++e)
          if (at + e < N) Y[at + e] = out.at[e];
      }
    }
  }
};

/// By one warp: words[i] becomes what comes before it. Returns all of them joined, in every lane.
__device__ __forceinline__ Sum scan_words(Sum* words) {
  constexpr int kEach = (kWords + 31) / 32;
  const int first = static_cast<int>(threadIdx.x) % 32 * kEach;
  Sum own[kEach];
  Sum all = {0, 0};
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    own[i] = first + i < kWords ? words[first + i] : Sum{0, 0};
    all = joined(all, own[i]);
  }
  all = over_lanes(all);
  Sum before = of_lane_below(all);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    if (first + i < kWords) words[first + i] = before;
    before = joined(before, own[i]);
  }
  return {__shfl_sync(kAll, all.sum, 31), __shfl_sync(kAll, static_cast<int>(all.restarts), 31)};
}
