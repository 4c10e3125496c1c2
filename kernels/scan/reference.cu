// What Y should be, of any of its numbers: what lies before its tile of 64 is added up beforehand, in two steps. A block of the
// first has a chunk of 1024 tiles.
#include "common/reference_parts.cuh"
#include "common/types.cuh"

#if DTYPE_FP32 || DTYPE_FP64
using Sum = ACC;
__device__ ACC number(ACC sum) { return sum; }
#else
using Sum = unsigned long long;
__device__ ACC number(unsigned long long sum) { return static_cast<ACC>(static_cast<DTYPE>(sum)); }  // wraps around
#endif

struct Sums {
  Sum sum;
  ACC square;
};
__device__ __forceinline__ Sums add(const Sums& a, const Sums& b) { return {a.sum + b.sum, a.square + b.square}; }
__device__ __forceinline__ Sums of(DTYPE x) {
  return {static_cast<Sum>(x), static_cast<ACC>(x) * static_cast<ACC>(x)};
}

constexpr int kSide = 64;  ///< numbers of a tile

/// Of the calling thread's tile, up to but without `end`.
__device__ __forceinline__ Sums sum_of(const DTYPE* X, long long begin, long long end) {
  Sums sums = {0, 0};
#pragma unroll 8
  for (long long i = begin; i < end; ++i) sums = add(sums, of(X[i]));
  return sums;
}

/// tiles[t]: what comes before it in its chunk; chunks[c]: all of it.
extern "C" __global__ void __launch_bounds__(1024) sum_tiles(const DTYPE* X, long long N, Sums* tiles, Sums* chunks) {
  const long long tile = static_cast<long long>(blockIdx.x) * parts::kThreads + threadIdx.x;
  const long long begin = tile * kSide < N ? tile * kSide : N, end = begin + kSide < N ? begin + kSide : N;
  const parts::Joined<Sums> joined = parts::join_block(sum_of(X, begin, end), Sums{0, 0}, add);
  if (begin < N) tiles[tile] = joined.before;
  if (threadIdx.x == 0) chunks[blockIdx.x] = joined.all;
}

/// chunks[c] becomes what comes before it.
extern "C" __global__ void __launch_bounds__(1024) scan_chunks(Sums* chunks, int count) {
  Sums carry = {0, 0};
  for (int first = 0; first < count; first += parts::kThreads) {
    const int at = first + static_cast<int>(threadIdx.x);
    const Sums own = at < count ? chunks[at] : Sums{0, 0};
    const parts::Joined<Sums> joined = parts::join_block(own, Sums{0, 0}, add);
    if (at < count) chunks[at] = add(carry, joined.before);
    carry = add(carry, joined.all);
  }
}

// Number j is index[j], or j when index is null.
extern "C" __global__ void reference(const DTYPE* X, const Sums* tiles, const Sums* chunks, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j], tile = at / kSide;
  const Sums before = add(chunks[tile / parts::kThreads], tiles[tile]);
  const Sums sums = add(before, sum_of(X, tile * kSide, EXCLUSIVE ? at : at + 1));
  value[j] = number(sums.sum);
  scale[j] = sqrt(sums.square);
}
