// Rung 0, three_launches: how many each tile selects, the sums of these, then the tiles again.
//
// Idea      where a number goes is how many are selected before it: in its warp, by a ballot; in its tile, from the counts
//           of warps; before its tile, from a scan of the tiles' counts by one block. STAGED, a tile is put together in
//           shared memory, and written from there in whole lines.
// Parameters THREADS a block; ITEMS numbers a thread; STAGED; COUNT, the type of how many are selected before a tile: int64
//           for 2^31 numbers and more.
// Expects   what COUNT counts; the counts of THREADS tiles together below 2^31.
// Lacks     every number is read twice.
#include "tile.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
count_tiles(const DTYPE* __restrict__ X, COUNT* __restrict__ counts, COUNT N, float limit) {
  __shared__ int words[kWarps];
  Tile tile;
  tile.load(X, static_cast<int>(blockIdx.x), N);
  const int own = tile.choose(X, limit);
  if (Tile::lane() == 0) words[Tile::warp()] = own;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const int total = scan_warps(words);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

/// counts[tile] becomes the sum of those before it.
extern "C" __global__ void __launch_bounds__(THREADS) scan_counts(COUNT* counts, long long* selected, int tiles) {
  __shared__ int words[kWarps];
  COUNT carry = 0;
  for (int first = 0; first < tiles; first += THREADS) {
    const int at = first + static_cast<int>(threadIdx.x);
    const int own = at < tiles ? static_cast<int>(counts[at]) : 0;  // of a tile
    int sum = own;
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
      const int other = __shfl_up_sync(kAll, sum, apart);
      if (Tile::lane() >= apart) sum += other;
    }
    if (Tile::lane() == 31) words[Tile::warp()] = sum;
    __syncthreads();
    COUNT before = carry;
    for (int warp = 0; warp < kWarps; ++warp) {
      if (warp < Tile::warp()) before += words[warp];
      carry += words[warp];
    }
    if (at < tiles) counts[at] = before + sum - own;
    __syncthreads();
  }
  if (threadIdx.x == 0) *selected = carry;
}

extern "C" __global__ void __launch_bounds__(THREADS)
compact(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, const COUNT* __restrict__ counts, COUNT N, float limit) {
  __shared__ int words[kWarps];
  __shared__ int total;
  Tile tile;
  tile.load(X, static_cast<int>(blockIdx.x), N);
  const int own = tile.choose(X, limit);
  if (Tile::lane() == 0) words[Tile::warp()] = own;
  __syncthreads();
  if (threadIdx.x < 32) {
    const int sum = scan_warps(words);
    if (threadIdx.x == 0) total = sum;
  }
  __syncthreads();
  tile.store(Y, N, counts[blockIdx.x], words[Tile::warp()], total);
}
