#pragma once
// Semaphores and barriers among blocks, each a word of global memory. PTX ISA, "Memory Consistency Model", ld.acquire,
// st.release, atom.acq_rel. All threads of a block call these together. What the others wrote before they released
// this block is visible to all its threads afterwards.

__device__ __forceinline__ unsigned load_acquire(const unsigned* from) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ void store_release(unsigned* to, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ __forceinline__ unsigned add_acquire_release(unsigned* to, unsigned value) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(to), "r"(value) : "memory");
  return before;
}

/// Waits until the semaphore is `state`: until semaphore_release(word, state) was called, or, for 0, not at all (the
/// word is 0 before). Blocks of earlier states must have smaller numbers, so that they run already.
__device__ __forceinline__ void semaphore_wait(const unsigned* word, unsigned state) {
  if (threadIdx.x == 0 && state != 0)
    while (load_acquire(word) != state) {
    }
  __syncthreads();
}
__device__ __forceinline__ void semaphore_release(unsigned* word, unsigned next) {
  __syncthreads();
  if (threadIdx.x == 0) store_release(word, next);
}

/// A barrier of `blocks` blocks that all fit on the device at once: the word is 0 before and, after
/// block_barrier_reset() of all, 0 again.
__device__ __forceinline__ void block_barrier_sync(unsigned* word, unsigned blocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    add_acquire_release(word, 1);
    while (load_acquire(word) < blocks) {
    }
  }
  __syncthreads();
}
__device__ __forceinline__ void block_barrier_reset(unsigned* word, unsigned blocks) {
  if (threadIdx.x == 0 && add_acquire_release(word, 1) == 2 * blocks - 1) store_release(word, 0);
}

/// One thread of each of `blocks` blocks comes to a word that is 0, with what its block wrote before (a barrier of the
/// block lies between); true for the last, behind all others, which leaves the word 0 again.
__device__ __forceinline__ bool arrive_as_last(unsigned* word, unsigned blocks) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(blocks - 1) : "memory");
  return before == blocks - 1;
}
/// After arrive_as_last gave false: until the last has come. All `blocks` are on the device at once.
__device__ __forceinline__ void wait_for_last(const unsigned* word) {
  while (load_acquire(word) != 0) {
  }
}
