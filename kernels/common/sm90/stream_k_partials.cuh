#pragma once
// Partial sums that workers of a stream-K schedule leave for one another in global memory (tile_scheduler.cuh). Wraps
// ld.acquire and st.release at gpu scope (PTX ISA, "Memory Consistency Model"). All 128 threads of a warpgroup call a
// member. Implied: a barrier of the warpgroup, release behind what was left, acquire before it is read. All workers
// must be on the device at once, for `add` spins.
#include "common/sm90/named_barrier.cuh"
#include "common/semaphore.cuh"
#include "common/types.cuh"

/// Count accumulators (float or int) of each of 128 threads, and a flag for each part that is 0 before and after. Of a
/// worker's `warpgroups` this is number `mine`: those of one number hold the same part of a tile. `partials` has room
/// for workers * warpgroups * Count * 128 of them, `flags` for workers * warpgroups.
template <typename Accumulator, int Count>
struct StreamKPartials {
  using Four = Vector<Accumulator, 4>;
  Four* partials;
  unsigned* flags;
  int warpgroups, mine;
  static_assert(Count % 4 == 0);

  __device__ __forceinline__ Four* place(int worker) const {
    return partials + static_cast<long long>(worker * warpgroups + mine) * (Count / 4 * 128) + threadIdx.x % 128;
  }

  /// `barrier`: the warpgroup's named barrier.
  __device__ __forceinline__ void leave(const Accumulator (&accumulators)[Count], int worker, int barrier) const {
    Four* to = place(worker);
#pragma unroll
    for (int i = 0; i < Count; i += 4)
      to[i / 4 * 128] = Four{accumulators[i], accumulators[i + 1], accumulators[i + 2], accumulators[i + 3]};
    NamedBarrier{barrier, 128}.sync();
    if (threadIdx.x % 128 == 0) store_release(flags + worker * warpgroups + mine, 1);
  }

  /// Adds what that worker left, as soon as it has.
  __device__ __forceinline__ void add(Accumulator (&accumulators)[Count], int worker, int barrier) const {
    if (threadIdx.x % 128 == 0) {
      unsigned* flag = flags + worker * warpgroups + mine;
      while (load_acquire(flag) == 0) {
      }
      *flag = 0;
    }
    NamedBarrier{barrier, 128}.sync();
    const Four* from = place(worker);
#pragma unroll
    for (int i = 0; i < Count; i += 4) {
      const Four four = from[i / 4 * 128];
#pragma unroll
      for (int e = 0; e < 4; ++e) accumulators[i + e] += four.at[e];
    }
  }
};
