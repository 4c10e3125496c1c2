// Rungs 0 and 1, spin and back_off: each thread takes the lock of its cell, changes the record, and releases the lock.
//
// Idea       a lock is a word that an atomic compare-and-swap turns from 0 into 1. Who fails tries again. The lanes of a warp
//            do so one after another: if all of them tried at once, the holder would wait for its warp, and its warp for the
//            lock. With LONGEST > 0 who fails sleeps longer and longer, and leaves the memory to the holder.
// Parameters THREADS of a block; LONGEST sleep between two tries, ns.
// Expects    anything: a holder runs already, so that nobody waits for a block that is not on the device.
// Counted    N swaps that succeed, and one for every try that fails.
// Lacks      order: a lock goes to whoever comes at the right time (ticket); lanes that want one lock take it one after
//            another (warp_joined).
#include "record.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
spin(const int* __restrict__ cells, const int* __restrict__ X, unsigned* locks, Record* records, int N) {
  const int n = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
  lane_after_lane(n < N, [=] { update(locks + cells[n], records + cells[n], {1, X[n], X[n], X[n]}); });
}
