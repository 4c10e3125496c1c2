// Rung 2, ticket: a lock is given to those who want it in the order in which they came.
//
// Idea       who wants the lock draws a number, one atomic addition, and waits until it is served: it only reads, and sleeps
//            as long as there are holders before it. The holder serves the next number by a plain store.
// Parameters THREADS of a block; SLEEP ns for each holder before.
// Expects    a number that was drawn is served only if its thread runs: it runs already, since it drew the number. The lanes
//            of a warp draw one after another, each when the one before has released its lock.
// Counted    N atomic operations, whatever the contention; looks at the number that is served besides.
// Lacks      the lanes of a warp that want one lock take it one after another; numbers that are served wait for a thread that
//            sleeps.
#include "record.cuh"

struct TicketLock {
  unsigned next, served;
};

extern "C" __global__ void __launch_bounds__(THREADS)
ticket(const int* __restrict__ cells, const int* __restrict__ X, TicketLock* locks, Record* records, int N) {
  const int n = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
  lane_after_lane(n < N, [=] {
    TicketLock* lock = locks + cells[n];
    const unsigned mine = atomicAdd(&lock->next, 1U);
    for (unsigned before; (before = mine - load_acquire(&lock->served)) != 0;)
      if (SLEEP > 0) __nanosleep(min(before, 32U) * SLEEP);
    records[cells[n]] = joined(records[cells[n]], {1, X[n], X[n], X[n]});
    store_release(&lock->served, mine + 1);
  });
}
