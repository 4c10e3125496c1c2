#pragma once
// Sums of one tile that several blocks computed, each over its part of K, and wrote to a workspace one part after
// another: added up in order of part, the same bit for bit from run to run, a share of the tile by each block.
#include "common/mbarrier.cuh"
#include "numbers.cuh"

using FourSums = Vector<Sum, 4>;

__device__ __forceinline__ void add(FourSums& to, const FourSums& more) {
#pragma unroll
  for (int e = 0; e < 4; ++e) to.at[e] += more.at[e];
}

constexpr int power_of_two(int least) {
  return least <= 1 ? 1 : 2 * power_of_two((least + 1) / 2);
}

/// PARTS of FOURS times four sums each, which lie one part after another. A block of THREAD_COUNT threads adds up one
/// of SHARES shares: kWidth threads side by side; where these are few, the parts are divided among kGroups of them.
template <int FOURS, int PARTS, int SHARES, int THREAD_COUNT>
struct PartSums {
  static constexpr int kShare = (FOURS - 1) / SHARES + 1;
  static constexpr int kWidth = power_of_two(kShare) < THREAD_COUNT ? power_of_two(kShare) : THREAD_COUNT;
  static constexpr int kGroups = THREAD_COUNT / kWidth;
  static constexpr int kParts = (PARTS - 1) / kGroups + 1;  // of a group
  static constexpr int kAtOnce = kShare > kWidth ? 2 : 1;   // fours of a thread

  /// Calls write(which of the FOURS, its sums) for each of the share. `scratch`: THREAD_COUNT fours of shared memory,
  /// which nobody else uses. The THREAD_COUNT threads, numbered from 0, all call it, and meet at named barrier 1.
  template <typename Write>
  static __device__ __forceinline__ void add_up(const FourSums* parts, int share, FourSums* scratch, Write write) {
    const int thread = static_cast<int>(threadIdx.x);
    const int group = thread / kWidth;
#pragma unroll 1
    for (int begin = 0; begin < kShare; begin += kWidth * kAtOnce) {
      FourSums sums[kAtOnce] = {};
      int places[kAtOnce];
      bool exists[kAtOnce];
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        const int within = begin + j * kWidth + thread % kWidth;
        places[j] = share * kShare + within;
        exists[j] = within < kShare && places[j] < FOURS;
      }
#pragma unroll(kParts < 16 ? kParts : 16)
      for (int i = 0; i < kParts; ++i) {
        const int part = group * kParts + i;
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j)
          if (exists[j] && part < PARTS) add(sums[j], parts[static_cast<long long>(part) * FOURS + places[j]]);
      }
      if constexpr (kGroups > 1) {  // then kAtOnce is 1
        scratch[thread] = sums[0];
        sync_threads(1, THREAD_COUNT);
        for (int g = 1; group == 0 && g < kGroups; ++g) add(sums[0], scratch[g * kWidth + thread]);
        sync_threads(1, THREAD_COUNT);
      }
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j)
        if (exists[j] && group == 0) write(places[j], sums[j]);
    }
  }
};
