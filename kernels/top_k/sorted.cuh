#pragma once
// Keys in shared memory, the largest first, by the threads of a block.
#include "common/rows/order_key.cuh"

/// A bitonic network over `count` keys, a power of two. Begins and ends with a barrier.
__device__ __forceinline__ void sort_falling(Key* keys, int count) {
  for (int size = 2; size <= count; size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      __syncthreads();
      for (int c = static_cast<int>(threadIdx.x); c < count / 2; c += THREADS) {
        const int low = c / apart * 2 * apart + c % apart, high = low + apart;
        const bool falling = (low & size) == 0;
        const Key a = keys[low], b = keys[high];
        if ((a < b) == falling) {
          keys[low] = b;
          keys[high] = a;
        }
      }
    }
  __syncthreads();
}

/// The first K keys name elements of the row.
__device__ __forceinline__ void write_found(const Key* keys, const DTYPE* row, DTYPE* values, int* indices, int K) {
  for (int k = static_cast<int>(threadIdx.x); k < K; k += THREADS) {
    const int at = place_of(keys[k]);
    values[static_cast<long long>(blockIdx.x) * K + k] = row[at];
    indices[static_cast<long long>(blockIdx.x) * K + k] = at;
  }
}
