// Rung 3, early_counts: as onesweep, but a tile tells its counts before it ranks its keys, and looks back after.
//
// Idea      counts need no ranks: a tile counts its digits at first, tells them to the tiles behind it, and ranks while these
//           and those before it do the same. When it looks back, what it looks for is mostly there. Lanes with the same
//           digit are found by a vote for each of its bits: match.any goes through the digits that there are, some 30
//           in 32 even keys.
// Parameters THREADS a block; ITEMS keys a thread; BLOCKS an SM, which limits registers.
// Expects   less than 2^30 keys. Words and counters are 0 before.
// Gained    over onesweep, on an H200, 2^27 keys of 32 bits: 6.23 to 3.29 ms, 40.8 Gkeys/s (THREADS=256 ITEMS=23 BLOCKS=3);
//           with match.any instead of votes 5.19 ms.
// Measured  ncu: a sweep 730 us, its arithmetic units 76 % busy; the counts at first 331 us.
// Lacks     fewer instructions a key: 32 of about 75 are votes.
#include "digit_words.cuh"

/// Lanes with the same digit.
__device__ __forceinline__ unsigned same_digit(int digit) {
  unsigned lanes = kAll;
#pragma unroll
  for (int bit = 0; bit < BITS; ++bit) {
    const bool is_set = (digit >> bit & 1) != 0;
    const unsigned set = __ballot_sync(kAll, is_set);
    lanes &= is_set ? set : ~set;
  }
  return lanes;
}

/// Counts the digits of each warp, behind a barrier.
__device__ __forceinline__ void count_early(const Tile& tile, Places& places) {
  unsigned* counts = places.of_warp[Tile::warp()];
  for (int digit = Tile::lane(); digit < kDigits; digit += 32) counts[digit] = 0;
  __syncwarp();
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) atomicAdd(counts + digit_of(tile.order[i], tile.shift), 1U);
  __syncthreads();
}

/// of_warp[..][digit] becomes where the warp's keys of the digit begin in the tile. Returns how many the tile has, which it
/// tells. One thread a digit.
__device__ __forceinline__ unsigned begin_digits(Places& places, unsigned* own, const unsigned* totals, bool is_first) {
  const int digit = static_cast<int>(threadIdx.x);
  unsigned before[kWarps], sum = 0;
  if (digit < kDigits) {
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) {
      before[warp] = sum;
      sum += places.of_warp[warp][digit];
    }
    if (is_first) places.in_memory[digit] = totals[digit];
    else publish(own + digit, kOfTile | sum);
    places.in_tile[digit] = sum;
  }
  __syncthreads();
  if (threadIdx.x < 32) scan_digits(places.in_tile);
  else if (threadIdx.x < 64 && is_first) scan_digits(places.in_memory);
  __syncthreads();
  if (digit < kDigits) {
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) places.of_warp[warp][digit] = before[warp] + places.in_tile[digit];
  }
  __syncthreads();
  return sum;
}

/// Ranks in the tile, warp by warp in the order of the keys; keys go to their places in shared memory.
__device__ __forceinline__ void rank_in_tile(Tile& tile, Places& places) {
  unsigned* counts = places.of_warp[Tile::warp()];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int digit = digit_of(tile.order[i], tile.shift);
    const unsigned lanes = same_digit(digit);
    const unsigned before = __popc(lanes & ((1U << Tile::lane()) - 1));
    unsigned known = 0;
    if (before == 0) known = atomicAdd(counts + digit, static_cast<unsigned>(__popc(lanes)));
    known = __shfl_sync(kAll, known, __ffs(lanes) - 1);
    __syncwarp();
    tile.rank[i] = known + before;
    places.keys[tile.rank[i]] = tile.order[i];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
sweep(const Key* __restrict__ from, Key* __restrict__ to, const unsigned* __restrict__ values_from,
      unsigned* __restrict__ values_to, unsigned* words, unsigned* begun, const unsigned* __restrict__ totals, int N,
      int tiles, int pass) {
  __shared__ Places places;
  __shared__ int number;
  if (threadIdx.x == 0) number = static_cast<int>(atomicAdd(begun + pass, 1U));
  __syncthreads();
  words += static_cast<long long>(pass) * tiles * kDigits;
  unsigned* own = words + static_cast<long long>(number) * kDigits;

  Tile tile(from, number, N, pass);
  count_early(tile, places);
  const unsigned sum = begin_digits(places, own, totals + pass * kDigits, number == 0);
  rank_in_tile(tile, places);
  const int digit = static_cast<int>(threadIdx.x);
  if (digit < kDigits) {
    const unsigned before = number == 0 ? places.in_memory[digit] : look_back(words, number, digit);
    publish(own + digit, kPrefix | (before + sum));
    places.in_memory[digit] = before - places.in_tile[digit];
  }
  __syncthreads();
  tile.to_memory(places, to, values_from, values_to, pass == kPasses - 1);
}
