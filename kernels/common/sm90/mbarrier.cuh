#pragma once
// Mbarriers: barriers in shared memory that count arrivals of threads and bytes of asynchronous copies. Wraps
// mbarrier.* and the fences that go with it (PTX ISA, "Parallel Synchronization and Communication Instructions:
// mbarrier", "fence", "Async proxy"). Needs sm_90. A phase ends when all expected threads have arrived and all
// announced bytes have come; who waits names the parity of the phase: 0 for the first, 1 for the second, 0 again. Ours
// instead of cuda/barrier, which costs 765 ms to parse.
#include "common/sm90/cluster.cuh"

/// 8 bytes of shared memory. One thread each calls a member, unless it says otherwise.
struct Mbarrier {
  unsigned long long state;

  /// `arrivals` end a phase. One thread of the block; then fence_mbarrier_init, fence_proxy_async and a barrier of all
  /// that use it (of the cluster where other blocks do).
  __device__ __forceinline__ void init(unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(arrivals) : "memory");
  }

  /// Implied: release, block scope.
  __device__ __forceinline__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
  }
  /// Arrives, and announces so many bytes of copies in this phase. Before the copies are issued.
  __device__ __forceinline__ void arrive_expect_tx(unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)), "r"(bytes)
                 : "memory");
  }
  /// Announces bytes without arriving.
  __device__ __forceinline__ void expect_tx(unsigned bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(bytes)
                 : "memory");
  }

  /// Where the same barrier lies in the block of that rank (shared::cluster window).
  __device__ __forceinline__ unsigned at_rank(unsigned rank) const { return map_to_rank(shared_address(this), rank); }
  /// Arrives at a barrier of any block of the cluster, given by at_rank. Release of block scope only: enough where a
  /// stage is given back that wgmma or copies have read, for these are ordered by their own waits (.release.cluster
  /// here costs a third of a GEMM); not where this thread's own writes shall be seen by the other block.
  static __device__ __forceinline__ void arrive_at(unsigned there) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
  }

  /// Returns when the phase of this parity has ended; each try sleeps a while. Any number of threads. Implied: acquire,
  /// block scope: what threads of this block wrote before they arrived is seen, and so are the bytes of copies that
  /// were counted, also by wgmma.
  __device__ __forceinline__ void wait(unsigned parity) {
    asm volatile(
        "{\n\t.reg .pred done;\n\t"
        "again:\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
        "@!done bra again;\n\t}" ::"r"(shared_address(this)),
        "r"(parity)
        : "memory");
  }
  /// The same with acquire at cluster scope: where other blocks wrote, by st_async or before arriving.
  __device__ __forceinline__ void wait_cluster(unsigned parity) {
    asm volatile(
        "{\n\t.reg .pred done;\n\t"
        "again:\n\t"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
        "@!done bra again;\n\t}" ::"r"(shared_address(this)),
        "r"(parity)
        : "memory");
  }
  /// Whether it has ended, without waiting.
  __device__ __forceinline__ bool has_ended(unsigned parity) {
    unsigned done;
    asm volatile(
        "{\n\t.reg .pred done;\n\t"
        "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, done;\n\t}"
        : "=r"(done)
        : "r"(shared_address(this)), "r"(parity)
        : "memory");
    return done != 0;
  }
};

/// Makes initialised mbarriers visible to the other blocks of the cluster. The thread that initialised them.
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// What this thread wrote to shared memory through registers (mbarrier.init included) shall be seen by copies and wgmma
/// that begin after the next barrier. Every thread that wrote.
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
