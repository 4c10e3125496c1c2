// Rung 4, look_back: one launch; every number is read once and written once.
//
// Idea      decoupled look-back (Merrill and Garland): a block publishes the sum of its tile, looks back over the tiles
//           before it until it meets one that knows its whole prefix, adds up what lies between, and publishes its own.
//           State and sum are one word of 64 bits, so that who sees the one sees the other. Tiles are numbered in the
//           order in which blocks begin, by a counter in memory: a tile that is waited for has begun, however blocks
//           are dispatched.
// Parameters THREADS a block; ROUNDS accesses of 16 bytes a thread; SLEEP ns between two looks at who is not ready.
// Expects   anything. Words and counter are 0 before.
// Lacks     an order of additions that is always the same: how far a block looks back depends on who was quicker.
// Measured  2^27 fp32, clearing of the words included, THREADS=512 ROUNDS=8: on an H200 357 us, 3.01 TB/s, where
//           torch.cumsum (CUB) takes 416 us in the same process; on an H100 440 us, 2.44 TB/s, and torch.cumsum 513 us.
// Emulated  blocks begin in order and each finds the prefix of the tile before it, one look of 32 words a tile: what is
//           wrong in later windows, or with blockIdx.x as the tile, a GPU alone can tell.
#include "tile.cuh"

using Word = unsigned long long;
constexpr unsigned kSum = 1;     // of the tile
constexpr unsigned kPrefix = 2;  // of everything up to its end

__device__ __forceinline__ void publish(Word* to, unsigned state, Number sum) {
  const Word word = static_cast<Word>(state) << 32 | __builtin_bit_cast(unsigned, sum);
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
__device__ __forceinline__ Word look_at(const Word* from) {
  Word word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}
__device__ __forceinline__ unsigned state_of(Word word) { return static_cast<unsigned>(word >> 32); }

/// The word of this lane's tile, when all lanes have one. Before the first tile everything is 0.
__device__ __forceinline__ Word wait_for(const Word* words, int tile) {
  Word word = tile < 0 ? static_cast<Word>(kPrefix) << 32 : look_at(words + tile);
  while (__any_sync(0xffffffffU, state_of(word) == 0)) {
    if (SLEEP > 0) __nanosleep(SLEEP);
    if (state_of(word) == 0) word = look_at(words + tile);
  }
  return word;
}

/// By one warp: the sum of all tiles before this one.
__device__ __forceinline__ Number look_back(Word* words, int tile, Number total) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane == 0 && tile > 0) publish(words + tile, kSum, total);
  Number prefix = 0;
  for (int at = tile - 1 - lane;; at -= 32) {
    const Word word = wait_for(words, at);
    const unsigned whole = __ballot_sync(0xffffffffU, state_of(word) == kPrefix);
    const int nearest = whole == 0 ? 31 : __ffs(static_cast<int>(whole)) - 1;
    Number sum = lane <= nearest ? __builtin_bit_cast(Number, static_cast<unsigned>(word)) : Number(0);
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, lanes);
    prefix = sum + prefix;
    if (whole != 0) break;
  }
  if (lane == 0) publish(words + tile, kPrefix, prefix + total);
  return prefix;
}

extern "C" __global__ void __launch_bounds__(THREADS)
scan(const Number* __restrict__ X, Number* __restrict__ Y, int N, Word* words_of_tiles, unsigned* begun) {
  __shared__ Number words[kWords];
  __shared__ Number before_tile;
  __shared__ int number;
  if (threadIdx.x == 0) number = static_cast<int>(atomicAdd(begun, 1U));
  __syncthreads();
  const int tile_number = number;
  const long long first = static_cast<long long>(tile_number) * kTile;
  Tile tile;
  tile.load(X + first, N - first);
  tile.scan_warps(words);
  __syncthreads();
  if (threadIdx.x < 32) {
    const Number total = scan_words(words);
    const Number prefix = look_back(words_of_tiles, tile_number, total);
    if (threadIdx.x == 0) before_tile = prefix;
  }
  __syncthreads();
  tile.store(Y + first, N - first, words, before_tile, EXCLUSIVE);
}
