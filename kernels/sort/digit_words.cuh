#pragma once
// What the tiles of a pass in one launch know of each other: the digits of all passes, counted at first, and words[tile][digit]
// with a state and a count, through which a tile looks back over those before it. The includer defines THREADS, ITEMS, BITS.
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
