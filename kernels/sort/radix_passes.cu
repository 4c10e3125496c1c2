// Rung 1, radix_passes: BITS of the keys a pass, from the lowest on, in three launches: count, scan, scatter.
//
// Idea      keys with equal digits keep their order, so that after the last pass all are in order. Where a key goes: behind
//           all keys of smaller digits, behind those of its digit in tiles before, and behind those in its own tile. The
//           first launch counts the digits of every tile, the second adds up each digit over the tiles, the third
//           ranks: lanes with the same digit are found by match.any, so that a warp ranks 32 keys at once, in their
//           order. A tile is put in order in shared memory first: what goes to one place lies side by side.
// Parameters THREADS a block; ITEMS keys a thread; BITS of a digit.
// Expects   anything.
// Lacks     keys are read twice a pass.
#include "radix.cuh"

/// counts[digit][tile], and totals[pass][digit]
extern "C" __global__ void __launch_bounds__(THREADS)
count_tiles(const Key* __restrict__ from, unsigned* __restrict__ counts, unsigned* totals, int N, int tiles, int pass) {
  __shared__ unsigned own[kDigits];
  if (threadIdx.x < kDigits) own[threadIdx.x] = 0;
  __syncthreads();
  const Tile tile(from, static_cast<int>(blockIdx.x), N, pass);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (Tile::place(i) < tile.rest) atomicAdd(own + digit_of(tile.order[i], tile.shift), 1U);
  __syncthreads();
  const int digit = static_cast<int>(threadIdx.x);
  if (digit >= kDigits) return;
  counts[static_cast<long long>(digit) * tiles + blockIdx.x] = own[digit];
  if (own[digit] != 0) atomicAdd(totals + pass * kDigits + digit, own[digit]);
}

/// A block a digit: counts[digit][tile] becomes the sum over the tiles before. volatile: so an emulated device, which
/// executes some of the blocks that are independent where it only counts, executes all, and places stay within Y.
extern "C" __global__ void __launch_bounds__(THREADS) scan_tiles(volatile unsigned* counts, int tiles) {
  __shared__ unsigned words[kWarps];
  volatile unsigned* row = counts + static_cast<long long>(blockIdx.x) * tiles;
  unsigned carry = 0;
  for (int first = 0; first < tiles; first += THREADS) {
    const int at = first + static_cast<int>(threadIdx.x);
    const unsigned own = at < tiles ? row[at] : 0;
    unsigned before = before_lane(own);
    if (Tile::lane() == 31) words[Tile::warp()] = before + own;
    __syncthreads();
    before += carry;
    for (int warp = 0; warp < kWarps; ++warp) {
      if (warp < Tile::warp()) before += words[warp];
      carry += words[warp];
    }
    if (at < tiles) row[at] = before;
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
scatter(const Key* __restrict__ from, Key* __restrict__ to, const unsigned* __restrict__ values_from,
        unsigned* __restrict__ values_to, const unsigned* __restrict__ counts, const unsigned* __restrict__ totals, int N,
        int tiles, int pass) {
  __shared__ Places places;
  Tile tile(from, static_cast<int>(blockIdx.x), N, pass);
  tile.rank_keys(places);
  const int digit = static_cast<int>(threadIdx.x);
  if (digit < kDigits) {
    places.in_tile[digit] = Tile::scan_over_warps(places, digit);
    places.in_memory[digit] = totals[pass * kDigits + digit];
  }
  __syncthreads();
  if (threadIdx.x < 32) scan_digits(places.in_tile);
  else if (threadIdx.x < 64) scan_digits(places.in_memory);
  __syncthreads();
  if (digit < kDigits)
    places.in_memory[digit] += counts[static_cast<long long>(digit) * tiles + blockIdx.x] - places.in_tile[digit];
  __syncthreads();
  tile.scatter(places, to, values_from, values_to, pass == kPasses - 1);
}
