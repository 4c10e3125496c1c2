// Rung 3, warp_joined: lanes of one cell join what they have, and one of them takes the lock.
//
// Idea       the lanes of a warp that want one lock find each other (match.sync) and join their numbers in registers
//            (redux.sync): a critical section serves them all.
// Parameters THREADS of a block; LONGEST sleep between two tries, ns.
// Expects    sm_80 or later; anything else as spin.
// Counted    one critical section for each cell of a warp: N / 32 where all want one lock, N where none want the same.
// Lacks      a copy of the records for each block, where there are few of them.
#include "record.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
warp_joined(const int* __restrict__ cells, const int* __restrict__ X, unsigned* locks, Record* records, int N) {
  const int n = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
  const int cell = n < N ? cells[n] : -1, x = n < N ? X[n] : 0;
  const unsigned peers = __match_any_sync(0xffffffffU, cell);
  const Record all = {__popc(peers), static_cast<int>(__reduce_add_sync(peers, static_cast<unsigned>(x))),
                      __reduce_min_sync(peers, x), __reduce_max_sync(peers, x)};
  const bool first = __ffs(static_cast<int>(peers)) - 1 == static_cast<int>(threadIdx.x) % 32;
  lane_after_lane(first && n < N, [=] { update(locks + cell, records + cell, all); });
}
