#pragma once
// A pass over one digit of the keys, for the tile of a block: ranks, then the tile in order in shared memory, then memory.
// The includer defines THREADS, ITEMS and BITS, the family VALUES.
#include "keys.cuh"

constexpr int kWarps = THREADS / 32;
constexpr int kPasses = static_cast<int>(sizeof(Key)) * 8 / BITS;
constexpr int kDigits = 1 << BITS;
constexpr int kTile = THREADS * ITEMS;
constexpr unsigned kAll = 0xffffffffU;

__device__ __forceinline__ int digit_of(Key order, int shift) {
  return static_cast<int>(order >> shift) & (kDigits - 1);
}

/// By one warp: sums of all lower lanes.
__device__ __forceinline__ unsigned before_lane(unsigned own) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned sum = own;
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const unsigned other = __shfl_up_sync(kAll, sum, apart);
    if (lane >= apart) sum += other;
  }
  return sum - own;
}

/// By one warp: values[digit] becomes the sum of those before it.
__device__ __forceinline__ void scan_digits(unsigned* values) {
  constexpr int kEach = (kDigits + 31) / 32;
  const int first = static_cast<int>(threadIdx.x) % 32 * kEach;
  unsigned own[kEach], sum = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    own[i] = first + i < kDigits ? values[first + i] : 0;
    sum += own[i];
  }
  unsigned before = before_lane(sum);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    if (first + i < kDigits) values[first + i] = before;
    before += own[i];
  }
}

struct Places {
  unsigned of_warp[kWarps][kDigits];  ///< keys of the digit that the warp has; then those of the warps before it
  unsigned in_tile[kDigits];          ///< where the digit begins in the tile
  unsigned in_memory[kDigits];        ///< what a place in the tile is from its place in memory
  Key keys[kTile];                    ///< in order; then the values
};

/// How many keys of the warp with this digit come before the lane's; counts them.
__device__ __forceinline__ unsigned rank_in_warp(unsigned* counts, int digit) {
  const unsigned lanes = __match_any_sync(kAll, digit);
  const unsigned before = __popc(lanes & ((1U << threadIdx.x % 32) - 1));
  const unsigned known = counts[digit];
  __syncwarp();
  if (before == 0) counts[digit] = known + __popc(lanes);
  __syncwarp();
  return known + before;
}

struct Tile {
  Key order[ITEMS];
  unsigned rank[ITEMS];  ///< in the warp, then in the tile
  long long first;
  int rest;  ///< keys from `first` on, at most kTile
  int shift;

  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ __forceinline__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ __forceinline__ static int place(int i) { return (warp() * ITEMS + i) * 32 + lane(); }

  __device__ __forceinline__ Tile(const Key* from, int number, int N, int pass) {
    first = static_cast<long long>(number) * kTile;
    rest = N - first < kTile ? static_cast<int>(N - first) : kTile;
    shift = pass * BITS;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      order[i] = place(i) < rest ? from[first + place(i)] : kLargest;  // what is not there comes last
      if (pass == 0 && place(i) < rest) order[i] = ordered(order[i]);
    }
  }

  /// Ranks in warps, behind a barrier.
  __device__ __forceinline__ void rank_keys(Places& places) {
    for (int digit = lane(); digit < kDigits; digit += 32) places.of_warp[warp()][digit] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) rank[i] = rank_in_warp(places.of_warp[warp()], digit_of(order[i], shift));
    __syncthreads();
  }

  /// of_warp[..][digit] becomes what comes before each warp; returns what all have. One thread a digit.
  __device__ __forceinline__ static unsigned scan_over_warps(Places& places, int digit) {
    unsigned sum = 0;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) {
      const unsigned of_warp = places.of_warp[warp][digit];
      places.of_warp[warp][digit] = sum;
      sum += of_warp;
    }
    return sum;
  }

  /// Behind a barrier after all places are known. `is_last`: of the passes.
  __device__ __forceinline__ void scatter(Places& places, Key* to, const unsigned* values_from, unsigned* values_to,
                                          bool is_last) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int digit = digit_of(order[i], shift);
      rank[i] += places.in_tile[digit] + places.of_warp[warp()][digit];
      places.keys[rank[i]] = order[i];
    }
    __syncthreads();
    to_memory(places, to, values_from, values_to, is_last);
  }

  /// From the tile in order in shared memory, behind a barrier; rank[] are places in the tile.
  __device__ __forceinline__ void to_memory(Places& places, Key* to, const unsigned* values_from, unsigned* values_to,
                                            bool is_last) {
    unsigned goes[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * THREADS + static_cast<int>(threadIdx.x);
      const Key found = places.keys[at];
      const int digit = digit_of(found, shift);
      goes[i] = places.in_memory[digit] + at;
      if (at < rest) to[goes[i]] = is_last ? restored(found) : found;
    }
    if (!VALUES) return;
    __syncthreads();
    auto* values = reinterpret_cast<unsigned*>(places.keys);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if (place(i) < rest) values[rank[i]] = values_from[first + place(i)];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * THREADS + static_cast<int>(threadIdx.x);
      if (at < rest) values_to[goes[i]] = values[at];
    }
  }
};
