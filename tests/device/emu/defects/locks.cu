// Locks that lanes of a warp take. 4 blocks of 64 threads; flags: 64 words that are zero; the first one is the lock, those
// from 32 on what it guards.
#include "defect.cuh"

__device__ __forceinline__ void take(unsigned* lock) {
  unsigned before;
  do asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(before) : "l"(lock) : "memory");
  while (before != 0);
}
__device__ __forceinline__ void give(unsigned* lock) {
  asm volatile("st.release.gpu.global.u32 [%0], 0;" ::"l"(lock) : "memory");
}

// Lane 0 takes it for its warp.
CASE for_all(const float*, float*, unsigned* flags, int n) {
  const int lane = threadIdx.x % 32;
  if (lane == 0) take(flags);
  if (C == 0) __syncwarp();
  const unsigned more = C == 2 ? __shfl_sync(kAll, n / 256, 0) : 1;  // orders no memory
  flags[32 + lane] += more;  // found: 1 2
  __syncwarp();
  if (lane == 0) give(flags);
}
KERNEL(for_all, 0)
KERNEL(for_all, 1)
KERNEL(for_all, 2)

// Each lane by itself; what one has written the next one of its warp reads. Case 1: the lane behind the one that has it.
CASE by_turns(const float*, float*, unsigned* flags, int) {
  const int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int turn = 0; turn < 32; ++turn) {
    const int writer = C == 1 ? (turn + 1) % 32 : turn;
    if (lane == turn) take(flags);
    if (lane == writer) flags[32] += 1;  // found: 1
    if (lane == turn) give(flags);
  }
}
KERNEL(by_turns, 0)
KERNEL(by_turns, 1)
