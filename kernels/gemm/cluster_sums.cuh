#pragma once
// Sums of blocks of a cluster that share K, added up over distributed shared memory: each block has as many sums per
// thread, sends every other one its share of them, and adds up the share that the others send to it, in order of rank:
// the same bit for bit from run to run. PTX ISA, "st.async", "mapa".
#include "common/mbarrier.cuh"
#include "common/tensor_core.cuh"
#include "numbers.cuh"

/// Words to the shared memory of the block of rank `rank`, at the place that is `address` here; their bytes count at
/// its barrier.
template <int WORDS>
__device__ __forceinline__ void send(unsigned rank, unsigned address, const Barrier* barrier, const Sum* words) {
  unsigned to, at;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address), "r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(barrier)), "r"(rank));
  const auto bits = [&](int i) { return *reinterpret_cast<const unsigned*>(words + i); };
  if constexpr (WORDS == 4)
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
        "r"(bits(0)), "r"(bits(1)), "r"(bits(2)), "r"(bits(3)), "r"(at)
        : "memory");
  else
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
                 "r"(bits(0)), "r"(at)
                 : "memory");
}

/// sums += WORDS of them at a shared address.
template <int WORDS>
__device__ __forceinline__ void add_words(Sum* sums, unsigned address) {
  unsigned words[WORDS];
  if constexpr (WORDS == 4)
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address)
                 : "memory");
  else
    words[0] = load_word(address);
#pragma unroll
  for (int i = 0; i < WORDS; ++i) sums[i] += *reinterpret_cast<const Sum*>(&words[i]);
}

/// Of each of THREAD_COUNT threads SUMS sums, RANKS blocks. Those of one product have ranks `first_rank`, `first_rank +
/// step` ... in the cluster.
template <int SUMS, int RANKS, int THREAD_COUNT>
struct ClusterSums {
  static constexpr int kShare = SUMS / RANKS;  // of a thread's sums, added up by one block
  static constexpr int kWords = kShare % 4 == 0 ? 4 : 1;
  static constexpr int kBytes = SUMS * THREAD_COUNT * 4;  // of shared memory, for what the others send
  static constexpr int kSentBytes = (RANKS - 1) * kShare * THREAD_COUNT * 4;
  static_assert(SUMS % RANKS == 0, "constraint shares");

  unsigned slab;     // shared address
  int thread, mine;  // the thread, from 0; which of the RANKS this block is

  __device__ __forceinline__ unsigned place(int of, int i) const {
    return slab + (((of * kShare + i) / kWords * THREAD_COUNT + thread) * kWords + i % kWords) * 4;
  }
  /// `share`: this block's of all blocks' `sums`, added up. `sent` is a barrier whose one arrival was made and that
  /// expects kSentBytes; all blocks of the cluster have got so far with theirs.
  __device__ __forceinline__ void exchange(const Sum (&sums)[SUMS], Sum (&share)[kShare], Barrier* sent,
                                           unsigned first_rank, unsigned step) const {
    Sum own[kShare];
#pragma unroll
    for (int rank = 0; rank < RANKS; ++rank) {
#pragma unroll
      for (int i = 0; i < kShare; i += kWords)
        if (rank != mine) send<kWords>(first_rank + rank * step, place(mine, i), sent, sums + rank * kShare + i);
#pragma unroll
      for (int i = 0; i < kShare; ++i)
        if (rank == mine) own[i] = sums[rank * kShare + i];
    }
    wait_for_cluster_writes(sent, 0);
#pragma unroll
    for (int i = 0; i < kShare; ++i) share[i] = 0;
#pragma unroll
    for (int i = 0; i < kShare; i += kWords)
#pragma unroll
      for (int rank = 0; rank < RANKS; ++rank) {
        if (rank != mine) {
          add_words<kWords>(share + i, place(rank, i));
        } else {
#pragma unroll
          for (int word = 0; word < kWords; ++word) share[i + word] += own[i + word];
        }
      }
  }
};
