#pragma once
// Work of blocks that share tiles of D along K (work_list.cuh), and the sums that they leave for one another.
#include "common/mbarrier.cuh"
#include "common/turns.cuh"
#include "numbers.cuh"
#include "work_list.cuh"

/// What warpgroups leave for others: COUNT sums of each of 128 threads, and a flag for each that is 0 before and after.
/// `warpgroups` of a worker, of which this is number `mine`: they stand for the same part of a tile.
template <int COUNT>
struct LeftSums {
  using Four = Vector<Sum, 4>;
  Four* sums;
  unsigned* flags;
  int warpgroups, mine;
  static_assert(COUNT % 4 == 0);

  __device__ __forceinline__ Four* place(int worker) const {
    return sums + static_cast<long long>(worker * warpgroups + mine) * (COUNT / 4 * 128) + threadIdx.x % 128;
  }

  /// `barrier`: the warpgroup's named barrier.
  __device__ __forceinline__ void leave(const Sum (&of_thread)[COUNT], int worker, int barrier) const {
    Four* to = place(worker);
#pragma unroll
    for (int i = 0; i < COUNT; i += 4)
      to[i / 4 * 128] = Four{of_thread[i], of_thread[i + 1], of_thread[i + 2], of_thread[i + 3]};
    sync_threads(barrier, 128);
    if (threadIdx.x % 128 == 0) store_release(flags + worker * warpgroups + mine, 1);
  }

  /// Adds what that worker left, as soon as it has.
  __device__ __forceinline__ void add(Sum (&of_thread)[COUNT], int worker, int barrier) const {
    if (threadIdx.x % 128 == 0) {
      unsigned* flag = flags + worker * warpgroups + mine;
      while (load_acquire(flag) == 0) {
      }
      *flag = 0;
    }
    sync_threads(barrier, 128);
    const Four* from = place(worker);
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
      const Four four = from[i / 4 * 128];
#pragma unroll
      for (int e = 0; e < 4; ++e) of_thread[i + e] += four.at[e];
    }
  }
};
