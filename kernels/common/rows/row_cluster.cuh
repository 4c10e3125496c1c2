#pragma once
// One value of each block to one value of its cluster, through distributed shared memory. PTX ISA, "mapa",
// "st.shared::cluster", "barrier.cluster". Needs sm_90.
#include "common/rows/row_reduce.cuh"

/// At the begin of a kernel, by all its threads: says that this block runs. Shared memory of a block that does not run yet
/// must not be written: whoever forgets it has a kernel that fails on a GPU now and then, with small clusters first.
template <int Cluster> __device__ __forceinline__ void arrive_in_cluster() {
  if constexpr (Cluster > 1) asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
/// Before the first over_cluster, by all threads: all blocks of the cluster run.
template <int Cluster> __device__ __forceinline__ void wait_for_cluster() {
  if constexpr (Cluster > 1) asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

/// After wait_for_cluster. All threads of all Cluster blocks call it, `own` being the same in all threads of a block; all
/// get the result.
/// `slots`: shared memory, one Value (a float, or a structure of floats) for each block. Two barriers of the cluster:
/// after the last one nobody reads the slots of another block, so that a block may end, or call it again. Release and
/// acquire of the barriers order the stores.
template <int Cluster, typename Value, typename Combine>
__device__ __forceinline__ Value over_cluster(Value own, Value* slots, int rank, Combine combine) {
  if constexpr (Cluster == 1) return own;
  if (threadIdx.x < Cluster) {
    const unsigned int here = static_cast<unsigned int>(__cvta_generic_to_shared(slots + rank));
    unsigned int there;
    // volatile: threads of which no block has the rank must not execute it, even where a loop would have it moved out.
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(threadIdx.x));
    constexpr int kWords = sizeof(Value) / sizeof(float);
    float words[kWords];
    memcpy(words, &own, sizeof(Value));
#pragma unroll
    for (int w = 0; w < kWords; ++w)
      asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there + 4 * w), "f"(words[w]) : "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  Value result = slots[0];
#pragma unroll
  for (int block = 1; block < Cluster; ++block) result = combine(result, slots[block]);
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  return result;
}
