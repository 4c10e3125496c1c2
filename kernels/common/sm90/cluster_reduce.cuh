#pragma once
// Accumulators of blocks of a cluster that share K, added up over distributed shared memory: each block has as many per
// thread, sends every other one its share of them, and adds up the share that the others send to it, in order of rank:
// the same bit for bit from run to run. Where they cannot be shared evenly, shares differ by four. Wraps st.async and
// mapa (common/sm90/cluster.cuh; PTX ISA, "st.async", "mapa"). Called by all threads that hold accumulators.
// Implied: acquire at cluster scope before what was sent is read.
#include "common/sm90/mbarrier.cuh"

/// Count accumulators (float or int) of each of Threads threads, Ranks blocks. Those of one product have ranks
/// `first_rank`, `first_rank + step` ... in the cluster.
template <typename Accumulator, int Count, int Ranks, int Threads>
struct ClusterReduce {
  static constexpr bool kEven = Count % Ranks == 0;
  static constexpr int kWords = (kEven ? Count / Ranks : Count) % 4 == 0 ? 4 : 1;  // sent together
  static constexpr int kShare = (Count / kWords - 1) / Ranks * kWords + kWords;    // the largest
  static constexpr int kBytes = Ranks * kShare * Threads * 4;  // of shared memory, for what the others send
  static_assert(Count % kWords == 0 && sizeof(Accumulator) == 4, "whole words");

  /// The share of the block `rank` of the Ranks: which of a thread's accumulators is its first, and how many they are.
  static __device__ __forceinline__ constexpr int first(int rank) { return Count / kWords * rank / Ranks * kWords; }
  static __device__ __forceinline__ constexpr int size(int rank) {
    return kEven ? kShare : first(rank + 1) - first(rank);
  }
  /// Bytes that the others send to it.
  static __device__ __forceinline__ constexpr int sent_bytes(int rank) {
    return (Ranks - 1) * size(rank) * Threads * 4;
  }

  unsigned buffer;   // shared address, kBytes
  int thread, mine;  // the thread, from 0; which of the Ranks this block is

  /// `share`: this block's of all blocks' accumulators, added up, and 0 behind its size. All Threads of all blocks call
  /// it. `sent` is an mbarrier of one arrival, which was made with arrive_expect_tx(sent_bytes(mine)); all blocks of
  /// the cluster have got so far with theirs (cluster_arrive, cluster_wait). No block ends before it got all that was
  /// sent to it: this returns then.
  __device__ __forceinline__ void exchange(const Accumulator (&accumulators)[Count], Accumulator (&share)[kShare],
                                           Mbarrier& sent, unsigned first_rank, unsigned step) const {
    Accumulator own[kShare];
#pragma unroll
    for (int rank = 0; rank < Ranks; ++rank) {
#pragma unroll
      for (int i = 0; i < kShare; i += kWords)
        if (i < size(rank) && rank != mine)
          send(first_rank + rank * step, place(mine, i), sent, accumulators + first(rank) + i);
#pragma unroll
      for (int i = 0; i < kShare; ++i)
        if (i < size(rank) && rank == mine) own[i] = accumulators[first(rank) + i];
    }
    sent.wait_cluster(0);
#pragma unroll
    for (int i = 0; i < kShare; ++i) share[i] = 0;
#pragma unroll
    for (int i = 0; i < kShare; i += kWords)
#pragma unroll
      for (int rank = 0; rank < Ranks; ++rank) {
        if (i >= size(mine)) continue;
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
