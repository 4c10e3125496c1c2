#pragma once
// The largest element of a row together with the sum of exponentials below it, one value of each thread to one of its
// row: each thread takes exponentials below its own largest element, so that none waits for the row's before it begins.
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"

/// sum = sum of exp(x - largest). `largest` is a number even where all elements are -infinity: their sum is 0 then.
struct Peak {
  float largest, sum;
};

/// The smallest number: below it only -infinity lies, whose exponential is 0 below any number.
constexpr float kLowest = -3.40282347e38f;

/// The larger two of each half; NaN is passed over, as by fmaxf. PTX ISA, "max".
__device__ __forceinline__ unsigned int larger_halves(unsigned int a, unsigned int b, bf16_t) {
  asm("max.bf16x2 %0, %1, %2;" : "=r"(a) : "r"(a), "r"(b));
  return a;
}
__device__ __forceinline__ unsigned int larger_halves(unsigned int a, unsigned int b, fp16_t) {
  asm("max.f16x2 %0, %1, %2;" : "=r"(a) : "r"(a), "r"(b));
  return a;
}

/// The largest element of a tile, padding included, at least kLowest. NaN is passed over: its exponential is not.
template <typename T, int Vec, int Rounds, int Lanes>
__device__ __forceinline__ float largest_of(const RowTile<T, Vec, Rounds, Lanes>& tile) {
  float largest = kLowest;
  if constexpr (sizeof(T) == 2 && Vec > 1) {
    unsigned int both = tile.chunks[0].words.at[0];
#pragma unroll
    for (int r = 0; r < Rounds; ++r)
#pragma unroll
      for (int w = r == 0; w < Vec / 2; ++w) both = larger_halves(both, tile.chunks[r].words.at[w], T());
    largest = fmaxf(largest, fmaxf(Halves<T>::low(both), Halves<T>::high(both)));
  } else {
    tile.each([&](int, float value) { largest = fmaxf(largest, value); });
  }
  return largest;
}

/// Over groups of Lanes neighbouring lanes, 1 to 32. All lanes of the warp call it.
template <int Lanes> __device__ __forceinline__ Peak peak_of_lanes(Peak own) {
  const float largest = over_lanes<Lanes>(own.largest, Larger());
  return {largest, over_lanes<Lanes>(own.sum * exp_below(own.largest, largest), Sum())};
}

/// Over the Lanes threads of each row, at least 32, a power of two. All threads of the block call it: one barrier, the
/// only one of a row. `words`: shared memory, one for each warp of the block, of which the next call gets others.
template <int Lanes> __device__ __forceinline__ Peak peak_of_row(Peak own, Peak* words) {
  own = peak_of_lanes<32>(own);
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = own;
  __syncthreads();
  constexpr int kWarps = Lanes / 32;
  return peak_of_lanes<kWarps>(words[threadIdx.x / Lanes * kWarps + threadIdx.x % kWarps]);
}
