#pragma once
// Named barriers: 16 of a block, 0 of which is __syncthreads. Wraps bar.sync and bar.arrive (PTX ISA, "bar, barrier").
// Whole warps call them. Implied: what threads wrote to shared or global memory before they came is seen by the threads
// that were waited for (generic proxy, this block); copies and wgmma need fence_proxy_async besides.

/// Barrier `id` (1 to 15) of `threads` threads, a multiple of 32: those that sync and those that only arrive.
struct NamedBarrier {
  int id, threads;

  /// Arrives and waits for the others.
  __device__ __forceinline__ void sync() const { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
  /// Arrives and goes on: lets others pass, for instance the other consumer of a ping-pong.
  __device__ __forceinline__ void arrive() const {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
  }
};
