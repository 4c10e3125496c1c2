// Rungs 0 to 3, one element a thread, in three launches: scans of blocks, the scan of their sums, sums added to all.
// METHOD says how a block scans.
//
// Idea      0, hillis_steele: in step k every thread adds what lies 2^k before it: log2(THREADS) steps, in two buffers.
//           1, blelloch: a tree up and down again: twice the steps, but 2 THREADS additions instead of
//           THREADS log2(THREADS); what threads touch lies 2, 4, 8 ... words apart, in the same banks.
//           2, shuffled: warps need no shared memory and no barrier; one word a warp is left.
//           3, raking: the lanes of one warp add up THREADS / 32 neighbours each, one after another: THREADS additions and
//           two barriers, whatever THREADS is. A word between the lanes' parts keeps them in different banks.
// Parameters THREADS a block.
// Expects   anything.
// Lacks     bytes on their way: a thread has one load. Sums go to memory and come back: 4 accesses for each number.
#include "common/types.cuh"

using Number = DTYPE;

/// Sums of all threads up to and with this one. All have called it before it is called again, and a barrier lies between.
__device__ __forceinline__ Number over_block(Number own) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (METHOD == 0) {
    __shared__ Number held[2][THREADS];
    int from = 0;
    held[0][thread] = own;
    __syncthreads();
    for (int apart = 1; apart < THREADS; apart *= 2) {
      if (thread >= apart) own = held[from][thread - apart] + own;
      held[1 - from][thread] = own;
      from = 1 - from;
      __syncthreads();
    }
    return own;
  }
  if constexpr (METHOD == 1) {
    __shared__ Number held[THREADS];
    held[thread] = own;
    for (int apart = 1; apart < THREADS; apart *= 2) {
      __syncthreads();
      const int at = (thread + 1) * 2 * apart - 1;
      if (at < THREADS) held[at] = held[at - apart] + held[at];
    }
    __syncthreads();
    if (thread == 0) held[THREADS - 1] = 0;
    for (int apart = THREADS / 2; apart > 0; apart /= 2) {
      __syncthreads();
      const int at = (thread + 1) * 2 * apart - 1;
      if (at < THREADS) {
        const Number left = held[at - apart];
        held[at - apart] = held[at];
        held[at] = held[at] + left;
      }
    }
    __syncthreads();
    return held[thread] + own;
  }
  if constexpr (METHOD == 2) {
    __shared__ Number words[THREADS / 32];
    const int lane = thread % 32, warp = thread / 32;
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
      const Number other = __shfl_up_sync(0xffffffffU, own, apart);
      if (lane >= apart) own = other + own;
    }
    if (lane == 31) words[warp] = own;
    __syncthreads();
    Number before = 0;
    for (int w = 0; w < warp; ++w) before += words[w];
    return before + own;
  }
  if constexpr (METHOD == 3) {
    constexpr int kEach = THREADS / 32;
    __shared__ Number held[32][kEach + 1];
    const int lane = thread / kEach;
    held[lane][thread % kEach] = own;
    __syncthreads();
    if (thread < 32) {
      Number sum = 0;
      for (int i = 0; i < kEach; ++i) sum += held[thread][i];
#pragma unroll
      for (int apart = 1; apart < 32; apart *= 2) {
        const Number other = __shfl_up_sync(0xffffffffU, sum, apart);
        if (thread >= apart) sum = other + sum;
      }
      Number before = __shfl_up_sync(0xffffffffU, sum, 1);
      if (thread == 0) before = 0;
      for (int i = 0; i < kEach; ++i) held[thread][i] = before += held[thread][i];
    }
    __syncthreads();
    return held[lane][thread % kEach];
  }
}

/// What the thread before has; 0 in the first. Behind it lies a barrier.
__device__ __forceinline__ Number of_thread_before(Number inclusive) {
  __shared__ Number held[THREADS];
  held[threadIdx.x] = inclusive;
  __syncthreads();
  const Number before = threadIdx.x == 0 ? Number(0) : held[threadIdx.x - 1];
  __syncthreads();
  return before;
}

extern "C" __global__ void __launch_bounds__(THREADS)
scan_blocks(const Number* __restrict__ X, Number* __restrict__ Y, Number* __restrict__ sums, long long N) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  Number sum = over_block(i < N ? X[i] : Number(0));
  if (threadIdx.x == THREADS - 1) sums[blockIdx.x] = sum;
  if (EXCLUSIVE) sum = of_thread_before(sum);
  if (i < N) Y[i] = sum;
}

extern "C" __global__ void __launch_bounds__(THREADS) scan_sums(Number* sums, int count) {
  __shared__ Number carried;
  Number carry = 0;
  for (int first = 0; first < count; first += THREADS) {
    const int i = first + static_cast<int>(threadIdx.x);
    const Number sum = over_block(i < count ? sums[i] : Number(0));
    const Number before = of_thread_before(sum);
    if (i < count) sums[i] = carry + before;
    if (threadIdx.x == THREADS - 1) carried = carry + sum;
    __syncthreads();
    carry = carried;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
add_sums(Number* __restrict__ Y, const Number* __restrict__ sums, long long N) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i < N) Y[i] = sums[blockIdx.x] + Y[i];
}
