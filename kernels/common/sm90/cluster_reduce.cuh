#pragma once
// Accumulators of blocks of a cluster that share K, added up over distributed shared memory: each block has as many per
// thread, sends every other one its share of them, and adds up the share that the others send to it, in order of rank:
// the same bit for bit from run to run. Wraps st.async and mapa (common/sm90/cluster.cuh; PTX ISA, "st.async", "mapa").
// Implied: acquire at cluster scope before what was sent is read.
#include "common/sm90/mbarrier.cuh"

/// Count accumulators (float or int) of each of Threads threads, Ranks blocks. Those of one product have ranks
/// `first_rank`, `first_rank + step` ... in the cluster.
template <typename Accumulator, int Count, int Ranks, int Threads>
struct ClusterReduce {
  static constexpr int kShare = Count / Ranks;  // of a thread's accumulators, added up by one block
  static constexpr int kWords = kShare % 4 == 0 ? 4 : 1;
  static constexpr int kBytes = Count * Threads * 4;  // of shared memory, for what the others send
  static constexpr int kSentBytes = (Ranks - 1) * kShare * Threads * 4;
  static_assert(Count % Ranks == 0 && sizeof(Accumulator) == 4, "whole shares of words");

  unsigned buffer;   // shared address, kBytes
  int thread, mine;  // the thread, from 0; which of the Ranks this block is

  /// `share`: this block's of all blocks' accumulators, added up. All Threads of all blocks call it. `sent` is an
  /// mbarrier of one arrival, which was made with arrive_expect_tx(kSentBytes); all blocks of the cluster have got so
  /// far with theirs (cluster_arrive, cluster_wait). No block ends before it got all that was sent to it: this returns
  /// then.
  __device__ __forceinline__ void exchange(const Accumulator (&accumulators)[Count], Accumulator (&share)[kShare],
                                           Mbarrier& sent, unsigned first_rank, unsigned step) const {
    Accumulator own[kShare];
#pragma unroll
    for (int rank = 0; rank < Ranks; ++rank) {
#pragma unroll
      for (int i = 0; i < kShare; i += kWords)
        if (rank != mine) send(first_rank + rank * step, place(mine, i), sent, accumulators + rank * kShare + i);
#pragma unroll
      for (int i = 0; i < kShare; ++i)
        if (rank == mine) own[i] = accumulators[rank * kShare + i];
    }
    sent.wait_cluster(0);
#pragma unroll
    for (int i = 0; i < kShare; ++i) share[i] = 0;
#pragma unroll
    for (int i = 0; i < kShare; i += kWords)
#pragma unroll
      for (int rank = 0; rank < Ranks; ++rank) {
        if (rank != mine) {
          add_words(share + i, place(rank, i));
        } else {
#pragma unroll
          for (int word = 0; word < kWords; ++word) share[i + word] += own[i + word];
        }
      }
  }

 private:
  __device__ __forceinline__ unsigned place(int of, int i) const {
    return buffer + (((of * kShare + i) / kWords * Threads + thread) * kWords + i % kWords) * 4;
  }
  static __device__ __forceinline__ void send(unsigned rank, unsigned address, const Mbarrier& sent,
                                              const Accumulator* from) {
    unsigned words[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = *reinterpret_cast<const unsigned*>(from + i);
    st_async(map_to_rank(address, rank), sent.at_rank(rank), words);
  }
  static __device__ __forceinline__ void add_words(Accumulator* to, unsigned address) {
    unsigned words[kWords];
    if constexpr (kWords == 4)
      asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                   : "r"(address)
                   : "memory");
    else
      asm volatile("ld.shared.b32 %0, [%1];" : "=r"(words[0]) : "r"(address) : "memory");
#pragma unroll
    for (int i = 0; i < kWords; ++i) to[i] += *reinterpret_cast<const Accumulator*>(&words[i]);
  }
};
