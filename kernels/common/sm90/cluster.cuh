#pragma once
// Clusters: up to 8 blocks (16 non-portable) that run at the same time and reach one another's shared memory. Wraps
// barrier.cluster, mapa, st.async and %cluster_ctarank (PTX ISA, "barrier.cluster", "mapa", "st.async"). Needs sm_90.
// In a launch without cluster the block is a cluster of one, and all of this holds.
#include "common/shared_address.cuh"

/// Rank of this block in its cluster. Any thread.
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// A barrier of all threads of the cluster, in two halves; all threads of all blocks call both. Arriving releases at
/// cluster scope, waiting acquires: what was written before is seen by all afterwards, by copies too once the writer
/// has called fence_proxy_async.
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}
/// Arrives without releasing anything: only says that this block runs (its shared memory may be written from now on) or
/// that it needs nobody's memory any more.
__device__ __forceinline__ void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

/// The address (shared::cluster window) of what lies at shared address `address` in the block of that rank. Any thread.
__device__ __forceinline__ unsigned map_to_rank(unsigned address, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

/// Words to a shared::cluster address; their bytes count at the mbarrier at shared::cluster address `barrier`, in the
/// same block. Asynchronous and weak: who waits for the mbarrier must acquire at cluster scope
/// (Mbarrier::wait_cluster), and the block written to must be known to run (cluster_arrive, cluster_wait) and must not
/// end before.
__device__ __forceinline__ void st_async(unsigned to, unsigned barrier, const unsigned (&words)[4]) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
      "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void st_async(unsigned to, unsigned barrier, const unsigned (&words)[1]) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
               "r"(words[0]), "r"(barrier)
               : "memory");
}
