#pragma once
// A record and its lock. PTX ISA, "Memory Consistency Model": who takes a lock acquires what its last holder released.
#include "common/semaphore.cuh"

struct alignas(16) Record {
  int count, sum, least, largest;
};

__device__ __forceinline__ Record joined(const Record& a, const Record& b) {
  return {a.count + b.count, static_cast<int>(static_cast<unsigned>(a.sum) + static_cast<unsigned>(b.sum)),
          min(a.least, b.least), max(a.largest, b.largest)};
}

/// The record of nothing in each cell, before anybody takes a lock.
extern "C" __global__ void __launch_bounds__(THREADS) clear(Record* __restrict__ records, int cells) {
  const int cell = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
  if (cell < cells) records[cell] = {0, 0, 0x7fffffff, -0x7fffffff - 1};
}

/// True for the one thread that finds it 0: it holds the lock until it releases it by store_release(lock, 0).
__device__ __forceinline__ bool try_lock(unsigned* lock) {
  unsigned before;
  asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(before) : "l"(lock) : "memory");
  return before == 0;
}

/// Tries until it holds the lock; between two tries it sleeps, twice as long each time, up to LONGEST ns.
__device__ __forceinline__ void update(unsigned* lock, Record* record, const Record& more) {
  unsigned sleep = 32;
  while (!try_lock(lock)) {
    if (LONGEST == 0) continue;
    __nanosleep(sleep);
    sleep = min(2 * sleep, static_cast<unsigned>(LONGEST));
  }
  *record = joined(*record, more);
  store_release(lock, 0);
}

/// Calls critical() in every lane that wants it, one lane after another.
template <typename Section>
__device__ __forceinline__ void lane_after_lane(bool wants, const Section& critical) {
  for (int lane = 0; lane < 32; ++lane) {
    if (wants && static_cast<int>(threadIdx.x) % 32 == lane) critical();
    __syncwarp();
  }
}
