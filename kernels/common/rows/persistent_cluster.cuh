#pragma once
// As row_cluster.cuh, for persistent blocks: one cluster barrier a row instead of two. What a row exchanges lies in
// other words than what the row before it did. Needs sm_90.
#include "common/rows/row_cluster.cuh"

/// One value of each block to one value of the cluster, again and again. Every thread of all blocks has one of these, and
/// calls it as often as the others, after wait_for_cluster.
template <int Cluster, typename Value> class PersistentCluster {
 public:
  static constexpr int kSlots = 2 * Cluster;

  /// `slots`: shared memory, kSlots Values. `rank`: of the block in its cluster.
  __device__ __forceinline__ PersistentCluster(Value* slots, int rank) : slots_(slots), rank_(rank) {}

  /// `own` being the same in all threads of a block; all get the result, combined in order of ranks. One barrier: who has
  /// passed it knows that all blocks have read what came the row before, since they read that before they arrived here.
  /// After the last one nobody writes to another block, which may end.
  template <typename Combine> __device__ __forceinline__ Value operator()(Value own, Combine combine) {
    Value* slots = slots_ + parity_ * Cluster;
    parity_ ^= 1;
    if (threadIdx.x < Cluster) store_in_block(slots + rank_, static_cast<int>(threadIdx.x), own);
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    Value result = slots[0];
#pragma unroll
    for (int block = 1; block < Cluster; ++block) result = combine(result, slots[block]);
    return result;
  }

 private:
  Value* slots_;
  int rank_, parity_ = 0;

  /// To where `here` is in the shared memory of the block with this rank.
  static __device__ __forceinline__ void store_in_block(Value* here, int rank, Value value) {
    unsigned int there;
    // volatile: threads of which no block has the rank must not execute it, even where a loop would have it moved out.
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"(static_cast<unsigned int>(__cvta_generic_to_shared(here))), "r"(rank));
    constexpr int kWords = sizeof(Value) / sizeof(float);
    float words[kWords];
    memcpy(words, &value, sizeof(Value));
#pragma unroll
    for (int w = 0; w < kWords; ++w)
      asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there + 4 * w), "f"(words[w]) : "memory");
  }
};
