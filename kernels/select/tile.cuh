#pragma once
// The tile of a block: ITEMS numbers a thread, 32 side by side for each warp and item. The includer defines THREADS, ITEMS
// and STAGED, and COUNT, the type of how many are selected before a tile.
#include "chosen.cuh"

constexpr unsigned kAll = 0xffffffffU;
constexpr int kWarps = THREADS / 32;
constexpr int kTile = THREADS * ITEMS;

struct Tile {
  DTYPE x[ITEMS];
  unsigned chosen[ITEMS];  ///< lanes whose number is
  long long first;
  int rest;  ///< numbers from `first` on, at most kTile

  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ __forceinline__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ __forceinline__ static int place(int i) { return (warp() * ITEMS + i) * 32 + lane(); }

  __device__ __forceinline__ void load(const DTYPE* X, int number, COUNT N) {
    first = static_cast<long long>(number) * kTile;
    rest = N - first < kTile ? static_cast<int>(N - first) : kTile;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) x[i] = place(i) < rest ? X[first + place(i)] : DTYPE{};
  }

  /// Sets `chosen`; how many the warp has.
  __device__ __forceinline__ int choose(const DTYPE* X, float limit) {
    int count = 0;
    Number before = 0;
    if (WHAT == 2 && first + place(0) > 0 && lane() == 0 && place(0) < rest) before = number_of(X[first + place(0) - 1]);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const Number own = number_of(x[i]);
      bool is_chosen = is_below(own, limit);
      if (WHAT == 2) {
        const Number left = __shfl_up_sync(kAll, own, 1);
        is_chosen = first + place(i) == 0 || own != (lane() == 0 ? before : left);
        before = __shfl_sync(kAll, own, 31);
      }
      chosen[i] = __ballot_sync(kAll, is_chosen && place(i) < rest);
      count += __popc(chosen[i]);
    }
    return count;
  }

  /// The tile's first chosen number goes to Y[before]; `of_warps` has those of lower warps in the tile, `total` all.
  __device__ __forceinline__ void store(DTYPE* Y, COUNT N, COUNT before, int of_warps, int total) const {
    __shared__ DTYPE staged[STAGED ? kTile : 1];
    const COUNT others = static_cast<COUNT>(first) - before;  // of lower tiles
    const auto put = [&](int at, DTYPE number) {              // the chosen ones of the tile, then the others
      if (at < total) Y[before + at] = number;
      else if (WHAT == 1) Y[N - 1 - (others + at - total)] = number;
    };
    int rank = of_warps;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int lower = rank + __popc(chosen[i] & ((1U << lane()) - 1));
      const int at = chosen[i] >> lane() & 1 ? lower : total + place(i) - lower;
      rank += __popc(chosen[i]);
      if (place(i) >= rest) continue;
      if (STAGED) staged[at] = x[i];
      else put(at, x[i]);
    }
    if (!STAGED) return;
    __syncthreads();
    for (int at = static_cast<int>(threadIdx.x); at < (WHAT == 1 ? rest : total); at += THREADS) put(at, staged[at]);
  }
};

/// By one warp: words[w] becomes the sum of those before it. Returns the sum of all, in every lane.
__device__ __forceinline__ int scan_warps(int* words) {
  const int lane = Tile::lane(), own = lane < kWarps ? words[lane] : 0;
  int sum = own;
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const int other = __shfl_up_sync(kAll, sum, apart);
    if (lane >= apart) sum += other;
  }
  if (lane < kWarps) words[lane] = sum - own;
  return __shfl_sync(kAll, sum, 31);
}
