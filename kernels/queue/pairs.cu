// Rung 1, pairs: a ring for each producer and its consumer.
//
// Idea       a ring with one block at each end needs no counter: both know which tile comes next. Nobody else touches the
//            states of its slots.
// Parameters THREADS of a block, numbers of a slot; SLOTS of each ring; SLEEP ns between two looks; PAIRS of blocks.
// Expects    all blocks on the device at once, 2 PAIRS <= its multiprocessors.
// Counted    two released states a tile, no atomic operation.
// Lacks      balance: who is quick does not help another pair.
#include "slot.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
pairs(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, DTYPE* slots, unsigned* states, int N, int tiles) {
  const int pair = static_cast<int>(blockIdx.x) / 2;
  DTYPE* ring = slots + pair * SLOTS * THREADS;
  unsigned* ring_states = states + pair * SLOTS;
  for (int place = 0, tile = pair; tile < tiles; ++place, tile += PAIRS)
    if (blockIdx.x % 2 == 0) produce(X, ring, ring_states, place, tile, N);
    else consume(Y, ring, ring_states, place, tile, N);
}
