#pragma once
// Split-K: the accumulators of one tile that several blocks computed, each over its part of K, and wrote to a workspace
// one part after another. They are added up in order of part, the same bit for bit from run to run, a share of the tile
// by each block.
#include "common/sm90/named_barrier.cuh"
#include "element_types.cuh"

using FourAccumulators = Vector<Accumulator, 4>;

__device__ __forceinline__ void add(FourAccumulators& to, const FourAccumulators& more) {
#pragma unroll
  for (int e = 0; e < 4; ++e) to.at[e] += more.at[e];
}

constexpr int power_of_two(int least) {
  return least <= 1 ? 1 : 2 * power_of_two((least + 1) / 2);
}

/// Parts that are all there.
struct WrittenParts {
  static __device__ __forceinline__ void write(FourAccumulators* to, const FourAccumulators& accumulators) {
    *to = accumulators;
  }
  template <int COUNT>
  static __device__ __forceinline__ void read(FourAccumulators (&accumulators)[COUNT],
                                              FourAccumulators* const (&from)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
      if (from[i] != nullptr) accumulators[i] = *from[i];
  }
};

/// Parts that may still be on their way. A word of the workspace is 0 until it comes, and 0 again when it was read, so
/// nobody counts arrivals or fences: the words tell. A sum of -0 goes as 0; an integer sum is above -2^31.
struct ArrivingParts {
  static constexpr unsigned kFlip = 0x80000000;  // no sum is this, so none arrives as 0
  static __device__ __forceinline__ void store(FourAccumulators* to, const unsigned (&words)[4]) {
    asm volatile("st.relaxed.gpu.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words[0]), "r"(words[1]),
                 "r"(words[2]), "r"(words[3])
                 : "memory");
  }
  static __device__ __forceinline__ void write(FourAccumulators* to, const FourAccumulators& accumulators) {
    unsigned words[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const unsigned word = *reinterpret_cast<const unsigned*>(&accumulators.at[e]);
      words[e] = word == kFlip ? kFlip : word ^ kFlip;
    }
    store(to, words);
  }
  template <int COUNT>
  static __device__ __forceinline__ void read(FourAccumulators (&accumulators)[COUNT],
                                              FourAccumulators* const (&from)[COUNT]) {
    unsigned words[COUNT][4];
    bool missing[COUNT], some = false;
#pragma unroll
    for (int i = 0; i < COUNT; ++i) some |= missing[i] = from[i] != nullptr;
    while (some) {  // only what is missing is asked for again: others are still at work on their slices
      some = false;
#pragma unroll
      for (int i = 0; i < COUNT; ++i)
        if (missing[i]) {
          unsigned(&w)[4] = words[i];
          asm volatile("ld.relaxed.gpu.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                       : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                       : "l"(from[i])
                       : "memory");
        }
#pragma unroll
      for (int i = 0; i < COUNT; ++i)
        if (missing[i]) {
          missing[i] = words[i][0] == 0 || words[i][1] == 0 || words[i][2] == 0 || words[i][3] == 0;
          some |= missing[i];
        }
    }
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
      if (from[i] != nullptr) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const unsigned word = words[i][e] ^ kFlip;
          accumulators[i].at[e] = *reinterpret_cast<const Accumulator*>(&word);
        }
        store(from[i], {0, 0, 0, 0});
      }
  }
};

/// PARTS of FOURS times four accumulators each, one part after another. A block of THREAD_COUNT threads adds up one of
/// SHARES shares: kWidth threads side by side; where these are few, the parts are divided among kGroups of them.
template <int FOURS, int PARTS, int SHARES, int THREAD_COUNT, typename Parts = WrittenParts>
struct SplitKParts {
  static constexpr int kShare = (FOURS - 1) / SHARES + 1;
  static constexpr int kWidth = power_of_two(kShare) < THREAD_COUNT ? power_of_two(kShare) : THREAD_COUNT;
  static constexpr int kGroups = THREAD_COUNT / kWidth;
  static constexpr int kParts = (PARTS - 1) / kGroups + 1;  // of a group
  static constexpr int kRounds = (kParts - 1) / 20 + 1;
  static constexpr int kAtOnce = (kParts - 1) / kRounds + 1;  // loads of a thread on their way

  /// Calls write(which of the FOURS, its accumulators) for each of the share. `scratch`: THREAD_COUNT fours of shared
  /// memory, which nobody else uses. The THREAD_COUNT threads, numbered from 0, all call it, and meet at named barrier 1.
  template <typename Write>
  static __device__ __forceinline__ void add_up(FourAccumulators* parts, int share, FourAccumulators* scratch,
                                                Write write) {
    const int thread = static_cast<int>(threadIdx.x);
    const int group = thread / kWidth;
#pragma unroll 1
    for (int begin = 0; begin < kShare; begin += kWidth) {
      const int within = begin + thread % kWidth;
      const int place = share * kShare + within;
      const bool exists = within < kShare && place < FOURS;
      FourAccumulators accumulators = {};
#pragma unroll 1
      for (int i = 0; i < kParts; i += kAtOnce) {
        FourAccumulators some[kAtOnce] = {};
        FourAccumulators* from[kAtOnce];
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
          const int part = group * kParts + i + j;
          const bool wanted = exists && i + j < kParts && part < PARTS;
          from[j] = wanted ? parts + static_cast<long long>(part) * FOURS + place : nullptr;
        }
        Parts::read(some, from);
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) add(accumulators, some[j]);
      }
      if (kGroups > 1) {
        scratch[thread] = accumulators;
        NamedBarrier{1, THREAD_COUNT}.sync();
        for (int g = 1; group == 0 && g < kGroups; ++g) add(accumulators, scratch[g * kWidth + thread]);
        NamedBarrier{1, THREAD_COUNT}.sync();
      }
      if (exists && group == 0) write(place, accumulators);
    }
  }
};
