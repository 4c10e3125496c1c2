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
#include "radix.cuh"

/// totals[pass][digit]
extern "C" __global__ void __launch_bounds__(THREADS)
count_digits(const Key* __restrict__ X, unsigned* totals, int N) {
  __shared__ unsigned own[kPasses][kDigits];
  for (int at = static_cast<int>(threadIdx.x); at < kPasses * kDigits; at += THREADS) own[at / kDigits][at % kDigits] = 0;
  __syncthreads();
  for (long long first = static_cast<long long>(blockIdx.x) * kTile; first < N;
       first += static_cast<long long>(gridDim.x) * kTile) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const long long at = first + i * THREADS + threadIdx.x;
      if (at >= N) continue;
      const Key order = ordered(X[at]);
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) atomicAdd(&own[pass][digit_of(order, BITS * pass)], 1U);
    }
  }
  __syncthreads();
  for (int at = static_cast<int>(threadIdx.x); at < kPasses * kDigits; at += THREADS)
    if (own[at / kDigits][at % kDigits] != 0) atomicAdd(totals + at, own[at / kDigits][at % kDigits]);
}

constexpr unsigned kOfTile = 1U << 30;  ///< the word holds what the tile has of the digit
constexpr unsigned kPrefix = 2U << 30;  ///< where the next tile's keys of the digit go
constexpr unsigned kCount = kOfTile - 1;

__device__ __forceinline__ void publish(unsigned* to, unsigned word) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
__device__ __forceinline__ unsigned look_at(const unsigned* from) {
  unsigned word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
  return word;
}

/// Where this thread's digit begins for the tile, which is not the first; words[tile][digit].
__device__ __forceinline__ unsigned look_back(const unsigned* words, int tile, int digit) {
  unsigned sum = 0;
  while (true) {
    const unsigned word = look_at(words + static_cast<long long>(tile - 1) * kDigits + digit);
    if (word == 0) continue;
    sum += word & kCount;
    if (word >= kPrefix) break;
    --tile;
  }
  return sum;
}

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
    places.in_memory[digit] = before;
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
