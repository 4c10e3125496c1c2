#pragma once
// A slot of a ring, THREADS numbers, and its state: how often it was filled and emptied, together. PTX ISA, "Memory
// Consistency Model". All threads of a block call these together.
#include "common/semaphore.cuh"
#include "common/types.cuh"

/// Waits until the slot was filled and emptied `times` times; a SLEEP ns pause between two looks.
__device__ __forceinline__ void wait_until(const unsigned* state, unsigned times) {
  if (threadIdx.x == 0)
    while (load_acquire(state) != times) {
      if (SLEEP > 0) __nanosleep(SLEEP);
    }
  __syncthreads();
}

/// Tile `tile` of X into a slot of a ring of SLOTS, when the tile SLOTS before it was taken.
__device__ __forceinline__ void produce(const DTYPE* X, DTYPE* slots, unsigned* states, int place, int tile, int N) {
  const int slot = place % SLOTS, round = place / SLOTS;
  const int n = tile * THREADS + static_cast<int>(threadIdx.x);
  const DTYPE x = n < N ? X[n] : DTYPE(0);
  wait_until(states + slot, 2 * round);
  slots[slot * THREADS + static_cast<int>(threadIdx.x)] = x;
  semaphore_release(states + slot, 2 * round + 1);
}

/// The same tile out of it, when it is there.
__device__ __forceinline__ void consume(DTYPE* Y, const DTYPE* slots, unsigned* states, int place, int tile, int N) {
  const int slot = place % SLOTS, round = place / SLOTS;
  wait_until(states + slot, 2 * round + 1);
  const DTYPE x = slots[slot * THREADS + static_cast<int>(threadIdx.x)];
  semaphore_release(states + slot, 2 * round + 2);
  const int n = tile * THREADS + static_cast<int>(threadIdx.x);
  if (n < N) Y[n] = 2 * x + 1;
}
