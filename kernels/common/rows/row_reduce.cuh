#pragma once
// One value of each thread to one value of its row: shuffles within a warp, shared memory between warps, distributed
// shared memory between the blocks of a cluster. Additions come in a fixed order: the same row gives the same bits.

struct Larger {
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};

/// Mean and sum of squared differences from it, of `count` numbers (Welford; Chan, Golub, LeVeque 1983 for the merge):
/// no difference of large sums, so that a mean far from 0 costs no digits.
struct Moments {
  float count = 0, mean = 0, squares = 0;
};
struct MergeMoments {
  __device__ __forceinline__ Moments operator()(Moments a, Moments b) const {
    const float count = a.count + b.count;
    const float share = count > 0 ? b.count / count : 0.0f;
    const float apart = b.mean - a.mean;
    return {count, a.mean + apart * share, a.squares + b.squares + apart * apart * a.count * share};
  }
};

__device__ __forceinline__ float from_lane(float value, int mask) { return __shfl_xor_sync(0xffffffffU, value, mask); }
__device__ __forceinline__ Moments from_lane(Moments value, int mask) {
  return {from_lane(value.count, mask), from_lane(value.mean, mask), from_lane(value.squares, mask)};
}

/// Over groups of Lanes neighbouring lanes, 1 to 32, a power of two. All lanes of the warp call it; each gets its group's.
template <int Lanes, typename Value, typename Combine>
__device__ __forceinline__ Value over_lanes(Value own, Combine combine) {
#pragma unroll
  for (int mask = Lanes / 2; mask > 0; mask /= 2) own = combine(own, from_lane(own, mask));
  return own;
}

/// Over the Lanes threads of each row, Lanes a power of two up to the block's size. All threads of the block call it and
/// get their row's value. Lanes <= 32: no barrier. Beyond: two barriers of the block; `words` are shared memory, one
/// Value for each warp of the block.
template <int Lanes, typename Value, typename Combine>
__device__ __forceinline__ Value over_row(Value own, Value* words, Combine combine) {
  own = over_lanes<(Lanes < 32 ? Lanes : 32)>(own, combine);
  if constexpr (Lanes > 32) {
    constexpr int kWarps = Lanes / 32;
    const unsigned warp = threadIdx.x / 32;
    __syncthreads();  // an earlier result may still be read
    if (threadIdx.x % 32 == 0) words[warp] = own;
    __syncthreads();
    const Value* mine = words + warp / kWarps * kWarps;
    if constexpr (kWarps > 4) {  // a lane reads one word, and shuffles do the rest: fewer instructions than all words
      own = over_lanes<kWarps>(mine[threadIdx.x % kWarps], combine);
    } else {
      own = mine[0];
#pragma unroll
      for (int w = 1; w < kWarps; ++w) own = combine(own, mine[w]);
    }
  }
  return own;
}
