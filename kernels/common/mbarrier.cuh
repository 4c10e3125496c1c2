#pragma once
// Barriers in shared memory that count arrivals of threads and bytes of copies (sm_90). PTX ISA, "Parallel
// Synchronization and Communication Instructions: mbarrier", and "fence". A barrier has phases: a phase ends when all
// expected threads have arrived and all announced bytes have come; who waits names the parity of the phase it waits
// for, 0 first. Ours instead of cuda/barrier, which costs 765 ms to parse.
#include "common/async_copy.cuh"

using Barrier = unsigned long long;

/// `arrivals` end a phase. One thread calls it; then fence_barriers() and a barrier of the block (or cluster).
__device__ __forceinline__ void init_barrier(Barrier* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/// Makes initialised barriers visible to copies and to the other blocks of the cluster.
__device__ __forceinline__ void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// Where the barrier lies that is at the same place in the block of rank `rank` of the cluster. PTX ISA, "mapa".
__device__ __forceinline__ unsigned barrier_of_block(const Barrier* barrier, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(barrier)), "r"(rank));
  return there;
}
/// Arrives at a barrier of any block of the cluster.
__device__ __forceinline__ void arrive_at(unsigned there) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}
__device__ __forceinline__ void arrive_at(const Barrier* barrier, unsigned rank) {
  arrive_at(barrier_of_block(barrier, rank));
}

/// Arrives, and announces so many bytes of copies in this phase.
__device__ __forceinline__ void arrive_and_expect(Barrier* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

/// Returns when the phase of this parity has ended. The hardware sleeps a while in each try.
__device__ __forceinline__ void wait(Barrier* barrier, unsigned parity) {
  asm volatile(
      "{\n\t.reg .pred done;\n\t"
      "again:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra again;\n\t}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

/// The same where other blocks of the cluster wrote what is read afterwards (st.async): acquires at cluster scope.
__device__ __forceinline__ void wait_for_cluster_writes(Barrier* barrier, unsigned parity) {
  asm volatile(
      "{\n\t.reg .pred done;\n\t"
      "again:\n\t"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra again;\n\t}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

/// What this thread wrote to shared memory shall be seen by copies and wgmma that begin after the next barrier.
__device__ __forceinline__ void fence_for_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Registers per thread of the warps that call it (all four of a warpgroup): a multiple of 8 from 24 to 256. Needs a
/// kernel with __launch_bounds__(threads, 1), else the compiler ignores it (C7508).
template <int COUNT>
__device__ __forceinline__ void give_up_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

/// One lane of a converged warp.
__device__ __forceinline__ bool elect_lane() {
  unsigned elected;
  asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(elected));
  return elected != 0;
}

/// Barrier `id` of `threads` threads of the block (0 is __syncthreads).
__device__ __forceinline__ void sync_threads(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Rank of this block in its cluster.
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// A barrier of all threads of the cluster, in two halves.
__device__ __forceinline__ void arrive_in_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ void sync_cluster() {
  arrive_in_cluster();
  wait_for_cluster();
}
