#pragma once
// The scan of a tile that a block holds in registers: ROUNDS accesses of 16 bytes a thread, THREADS apart. The includer
// defines THREADS and ROUNDS.
#include "common/types.cuh"

constexpr int kVec = 16 / DTYPE_BYTES;
constexpr int kWarps = THREADS / 32;
constexpr int kWords = ROUNDS * kWarps;  ///< one a warp and round, in the order of memory
constexpr int kTile = THREADS * ROUNDS * kVec;

using Number = DTYPE;
using Several = Vector<Number, kVec>;

/// Of the warp: the sum of this and all lower lanes.
__device__ __forceinline__ Number over_lanes(Number own) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const Number other = __shfl_up_sync(0xffffffffU, own, apart);
    if (lane >= apart) own = other + own;
  }
  return own;
}
/// What the lane below has; 0 in the lowest.
__device__ __forceinline__ Number of_lane_below(Number inclusive) {
  const Number other = __shfl_up_sync(0xffffffffU, inclusive, 1);
  return threadIdx.x % 32 == 0 ? Number(0) : other;
}

struct Tile {
  Number x[ROUNDS][kVec];
  Number before[ROUNDS];  ///< sum of what the warp has before x[round]

  __device__ __forceinline__ static int place(int round) {
    return (round * THREADS + static_cast<int>(threadIdx.x)) * kVec;
  }

  /// The first of `rest` numbers, 0 behind them.
  __device__ __forceinline__ void load(const Number* from, long long rest) {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      if (rest >= kTile) {
        const Several several = *reinterpret_cast<const Several*>(from + place(r));
#pragma unroll
        for (int e = 0; e < kVec; ++e) x[r][e] = several.at[e];
      } else {
#pragma unroll
        for (int e = 0; e < kVec; ++e) x[r][e] = place(r) + e < rest ? from[place(r) + e] : Number(0);
      }
    }
  }

  /// Sets `before`, and the sums of warps and rounds in `words`. A barrier must follow.
  __device__ __forceinline__ void scan_warps(Number* words) {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      Number own = x[r][0] + x[r][1];
      if constexpr (kVec == 4) own += x[r][2] + x[r][3];
      const Number sum = over_lanes(own);
      before[r] = of_lane_below(sum);
      if (threadIdx.x % 32 == 31) words[r * kWarps + threadIdx.x / 32] = sum;
    }
  }

  /// What comes before the tile is `prefix`, before each warp and round `words`. Writes the first of `rest` sums.
  __device__ __forceinline__ void store(Number* to, long long rest, const Number* words, Number prefix,
                                        bool exclusive) const {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      Number sum = prefix + (words[r * kWarps + threadIdx.x / 32] + before[r]);
      Several out;
#pragma unroll
      for (int e = 0; e < kVec; ++e) {
        const Number after = sum + x[r][e];
        out.at[e] = exclusive ? sum : after;
        sum = after;
      }
      if (rest >= kTile) {
        *reinterpret_cast<Several*>(to + place(r)) = out;
      } else {
#pragma unroll
        for (int e = 0; e < kVec; ++e)
          if (place(r) + e < rest) to[place(r) + e] = out.at[e];
      }
    }
  }
};

/// By one warp: words[i] becomes the sum of those before it. Returns the sum of all, in every lane.
__device__ __forceinline__ Number scan_words(Number* words) {
  constexpr int kEach = (kWords + 31) / 32;
  const int first = static_cast<int>(threadIdx.x) % 32 * kEach;
  Number own[kEach];
  Number sum = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    own[i] = first + i < kWords ? words[first + i] : Number(0);
    sum += own[i];
  }
  const Number inclusive = over_lanes(sum);
  Number before = of_lane_below(inclusive);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    if (first + i < kWords) words[first + i] = before;
    before += own[i];
  }
  return __shfl_sync(0xffffffffU, inclusive, 31);
}
