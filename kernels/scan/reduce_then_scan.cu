// Rung 4, reduce_then_scan: sums of tiles, their scan by one block, then the tiles again.
//
// Idea      a tile lies in the registers of a block: ROUNDS accesses of 16 bytes a thread are on their way at once, and
//           a tile has one word to scan for each warp and round. The first launch only reads: 3 accesses to memory for
//           each number, instead of 4. Additions come in a fixed order.
// Parameters THREADS a block; ROUNDS accesses of 16 bytes a thread.
// Expects   anything.
// Lacks     every number is read twice.
#include "tile.cuh"

/// Words that hold what comes before each warp and round, behind a barrier; the sum of the tile, in the first warp.
__device__ __forceinline__ Number scan_tile(Tile& tile, Number* words) {
  tile.scan_warps(words);
  __syncthreads();
  const Number total = threadIdx.x < 32 ? scan_words(words) : Number(0);
  __syncthreads();
  return total;
}

extern "C" __global__ void __launch_bounds__(THREADS)
sum_tiles(const Number* __restrict__ X, Number* __restrict__ sums, long long N) {
  __shared__ Number words[kWords];
  const long long first = static_cast<long long>(blockIdx.x) * kTile;
  Tile tile;
  tile.load(X + first, N - first);
  const Number total = scan_tile(tile, words);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

extern "C" __global__ void __launch_bounds__(THREADS) scan_sums(Number* sums, int count) {
  __shared__ Number words[kWords];
  __shared__ Number carried;
  Number carry = 0;
  for (int first = 0; first < count; first += kTile) {
    Tile tile;
    tile.load(sums + first, count - first);
    const Number total = scan_tile(tile, words);
    tile.store(sums + first, count - first, words, carry, true);
    if (threadIdx.x == 0) carried = carry + total;
    __syncthreads();
    carry = carried;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
scan_tiles(const Number* __restrict__ X, Number* __restrict__ Y, const Number* __restrict__ sums, long long N) {
  __shared__ Number words[kWords];
  const long long first = static_cast<long long>(blockIdx.x) * kTile;
  Tile tile;
  tile.load(X + first, N - first);
  scan_tile(tile, words);
  tile.store(Y + first, N - first, words, sums[blockIdx.x], EXCLUSIVE);
}
