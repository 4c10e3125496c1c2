// Rung 2, onesweep: 8 bits of the keys a pass, from the lowest on, in one launch a pass.
//
// Idea      Adinets and Merrill's: the digits of all passes are counted at first, in one launch; then a pass is one
//           launch: a tile ranks its keys by digit as radix_passes does, and looks back over the tiles before it for how
//           many of each digit they have (a thread a digit, state and count in one word). Tiles are numbered in the order
//           in which blocks begin.
// Parameters THREADS a block; ITEMS keys a thread.
// Expects   less than 2^30 keys. Words and counters are 0 before.
// Measured  on an H200, 2^27 keys of 32 bits, clearing of the words included: 6.21 ms, 21.6 Gkeys/s (THREADS=384
//           ITEMS=12); torch.sort, which moves the places of the keys as well, in the same process 5.93 ms.
// Lacks     hiding the look-back: a block waits for it with nothing else to do.
#include "digit_words.cuh"

/// From ranks in warps to places: sums over warps, digits and tiles. The prefix of the first tile begins with all smaller
/// digits of the whole array, so that no other tile needs the totals.
__device__ __forceinline__ void find_places(Places& places, unsigned* words, const unsigned* totals, int tile) {
  const int digit = static_cast<int>(threadIdx.x);
  unsigned* own = words + static_cast<long long>(tile) * kDigits + digit;
  unsigned sum = 0;
  if (digit < kDigits) {
    sum = Tile::scan_over_warps(places, digit);
    if (tile > 0) publish(own, kOfTile | sum);
    places.in_tile[digit] = sum;
    if (tile == 0) places.in_memory[digit] = totals[digit];
  }
  __syncthreads();
  if (threadIdx.x < 32) scan_digits(places.in_tile);
  else if (threadIdx.x < 64 && tile == 0) scan_digits(places.in_memory);
  __syncthreads();
  if (digit < kDigits) {
    const unsigned before = tile == 0 ? places.in_memory[digit] : look_back(words, tile, digit);
    publish(own, kPrefix | (before + sum));
    places.in_memory[digit] = before - places.in_tile[digit];
  }
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS)
sweep(const Key* __restrict__ from, Key* __restrict__ to, const unsigned* __restrict__ values_from,
      unsigned* __restrict__ values_to, unsigned* words, unsigned* begun, const unsigned* __restrict__ totals, int N,
      int tiles, int pass) {
  __shared__ Places places;
  __shared__ int number;
  if (threadIdx.x == 0) number = static_cast<int>(atomicAdd(begun + pass, 1U));
  __syncthreads();
  Tile tile(from, number, N, pass);
  tile.rank_keys(places);
  find_places(places, words + static_cast<long long>(pass) * tiles * kDigits, totals + pass * kDigits, number);
  tile.scatter(places, to, values_from, values_to, pass == kPasses - 1);
}
