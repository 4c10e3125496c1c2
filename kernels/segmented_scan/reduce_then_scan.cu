// Rung 0, reduce_then_scan: sums of tiles, their scan by one block, then the tiles again.
//
// Idea      a scan of pairs: a sum, and whether a segment begins in what it is of. Two are joined so that the second's sum
//           counts alone where a segment begins in it: an associative operation, so that whatever scans sums scans
//           segments. In a warp the lanes from the last beginning on add up. Additions come in a fixed order.
// Parameters THREADS a block; ROUNDS accesses of 16 bytes a thread.
// Expects   anything.
// Lacks     numbers and keys are read twice.
#include "tile.cuh"

/// Words that hold what comes before each warp and round, behind a barrier; the tile's sum, in the first warp.
__device__ __forceinline__ Sum scan_tile(Tile& tile, Sum* words) {
  tile.scan_warps(words);
  __syncthreads();
  const Sum total = threadIdx.x < 32 ? scan_words(words) : Sum{0, 0};
  __syncthreads();
  return total;
}

extern "C" __global__ void __launch_bounds__(THREADS)
sum_tiles(const Number* __restrict__ X, const int* __restrict__ keys, Sum* __restrict__ sums, int N) {
  __shared__ Sum words[kWords];
  Tile tile;
  tile.load(X, keys, static_cast<long long>(blockIdx.x) * kTile, N);
  const Sum total = scan_tile(tile, words);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/// By one warp: sums[i] becomes what comes before tile i.
extern "C" __global__ void scan_sums(Sum* sums, int count) {
  Sum carry = {0, 0};
  for (int first = 0; first < count; first += 32) {
    const int i = first + static_cast<int>(threadIdx.x);
    const Sum all = over_lanes(i < count ? sums[i] : Sum{0, 0});
    const Sum before = joined(carry, of_lane_below(all));
    if (i < count) sums[i] = before;
    const Sum last = {__shfl_sync(kAll, all.sum, 31), __shfl_sync(kAll, static_cast<int>(all.restarts), 31)};
    carry = joined(carry, last);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
scan_tiles(const Number* __restrict__ X, const int* __restrict__ keys, Number* __restrict__ Y,
           const Sum* __restrict__ sums, int N) {
  __shared__ Sum words[kWords];
  const long long first = static_cast<long long>(blockIdx.x) * kTile;
  Tile tile;
  tile.load(X, keys, first, N);
  scan_tile(tile, words);
  tile.store(Y, first, N, words, sums[blockIdx.x].sum);
}
