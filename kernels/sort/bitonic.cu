// Rung 0, bitonic: a network of comparisons, the same whatever the keys are.
//
// Idea      runs of twice the length come from two runs: the first is compared with the second backwards, then what lies
//           a half, a quarter ... of it apart. Every comparison puts the smaller key first, so that keys beyond the end need
//           not be there. All that stays within a tile is done in shared memory by one launch.
// Parameters THREADS a block; a tile is 2 THREADS keys.
// Expects   anything.
// Lacks     work that grows like N: log2(N)^2 / 2 comparisons a key, and all keys go through memory for every step
//           between tiles.
#include "keys.cuh"

constexpr int kTile = 2 * THREADS;

/// Comparison number c of those that mirror runs of `size`, or of those `apart`.
struct Pair {
  long long low, high;
};
__device__ __forceinline__ Pair mirrored(long long c, long long size) {
  const long long run = c / (size / 2) * size, at = c % (size / 2);
  return {run + at, run + size - 1 - at};
}
__device__ __forceinline__ Pair spaced(long long c, long long apart) {
  const long long low = c / apart * 2 * apart + c % apart;
  return {low, low + apart};
}

__device__ __forceinline__ void put_in_order(Key* keys, Pair pair) {
  const Key low = keys[pair.low], high = keys[pair.high];
  if (ordered(low) > ordered(high)) {
    keys[pair.low] = high;
    keys[pair.high] = low;
  }
}

/// The block's tile, the largest key beyond the end.
__device__ __forceinline__ void load(Key* tile, const Key* from, int N) {
  for (int at = static_cast<int>(threadIdx.x); at < kTile; at += THREADS) {
    const long long i = static_cast<long long>(blockIdx.x) * kTile + at;
    tile[at] = i < N ? from[i] : restored(kLargest);
  }
  __syncthreads();
}
__device__ __forceinline__ void store(const Key* tile, Key* to, int N) {
  for (int at = static_cast<int>(threadIdx.x); at < kTile; at += THREADS) {
    const long long i = static_cast<long long>(blockIdx.x) * kTile + at;
    if (i < N) to[i] = tile[at];
  }
}
__device__ __forceinline__ void merge(Key* tile, int apart) {
  for (; apart > 0; apart /= 2) {
    put_in_order(tile, spaced(threadIdx.x, apart));
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
sort_tiles(const Key* __restrict__ X, Key* __restrict__ Y, int N) {
  __shared__ Key tile[kTile];
  load(tile, X, N);
  for (int size = 2; size <= kTile; size *= 2) {
    put_in_order(tile, mirrored(threadIdx.x, size));
    __syncthreads();
    merge(tile, size / 4);
  }
  store(tile, Y, N);
}

/// Step number `step` of all that follow: run length kTile 2^m takes m steps in memory and one in tiles.
extern "C" __global__ void __launch_bounds__(THREADS) merge_step(Key* Y, int N, int step) {
  __shared__ Key tile[kTile];
  int m = 1;
  for (; step > m; ++m) step -= m + 1;
  const long long size = static_cast<long long>(kTile) << m;
  if (step == m) {
    load(tile, Y, N);
    merge(tile, kTile / 2);
    store(tile, Y, N);
    return;
  }
  const long long c = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  const Pair pair = step == 0 ? mirrored(c, size) : spaced(c, size >> (step + 1));
  if (pair.high < N) put_in_order(Y, pair);
}
