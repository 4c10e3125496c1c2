// Rung 0, shared_ring: one ring for all; who has time draws the next place.
//
// Idea       a slot has a number of how often it was filled and emptied: even, it waits for a producer, odd, for a consumer.
//            Both sides draw places of the queue by an atomic addition, so that work goes to whoever is free, and then wait
//            for the slot of that place, with back-off.
// Parameters THREADS of a block, numbers of a slot; SLOTS of the ring; SLEEP ns between two looks; PAIRS producers, and as
//            many consumers.
// Expects    all blocks on the device at once, 2 PAIRS <= its multiprocessors: a producer waits for consumers when the ring
//            is full, a consumer for producers when it is empty. The constraint `resident` says so.
// Counted    two atomic operations and two released states a tile; 8 bytes a number through the ring, besides those of X, Y.
// Lacks      two counters that all blocks share.
#include "slot.cuh"

/// The next place of the queue for this block. Barriers of produce() or consume() lie between two calls.
__device__ __forceinline__ int draw(int* counter) {
  __shared__ int drawn;
  if (threadIdx.x == 0) drawn = atomicAdd(counter, 1);
  __syncthreads();
  return drawn;
}

extern "C" __global__ void __launch_bounds__(THREADS)
shared_ring(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, DTYPE* slots, unsigned* states, int* counters, int N, int tiles) {
  const bool produces = blockIdx.x % 2 == 0;
  for (int tile = draw(counters + produces); tile < tiles; tile = draw(counters + produces))
    if (produces) produce(X, slots, states, tile, tile, N);
    else consume(Y, slots, states, tile, tile, N);
}
