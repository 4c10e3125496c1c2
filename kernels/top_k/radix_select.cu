// Rung 2, radix_select: the K-th largest key digit by digit, then everything that is not smaller.
//
// Idea       a histogram of the highest 8 bits says in which bin the K-th largest lies; the next histogram counts that bin
//            alone. Where a bin ends with the K-th largest the search is over; among equal elements the place goes on. Then
//            exactly K keys are not smaller: they are gathered and sorted.
// Parameters THREADS of a block, which has a row.
// Expects    rows whose order keys lie in shared memory.
// Lacks      long rows: those would be read again from memory, or shared out over blocks.
#include "sorted.cuh"

constexpr int kBins = 256;

struct Found {
  int bin;    // which holds the K-th largest
  int above;  // how many lie in larger bins
  int held;   // and in this one
};

/// By the first warp: 8 bins a lane, from the largest down.
__device__ __forceinline__ void find_bin(const int* bins, int wanted, Found* found) {
  const int lane = static_cast<int>(threadIdx.x);
  int own = 0;
  for (int b = 0; b < 8; ++b) own += bins[kBins - 1 - (lane * 8 + b)];
  int upto = own;
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const int other = __shfl_up_sync(0xffffffffU, upto, apart);
    if (lane >= apart) upto += other;
  }
  int above = upto - own;
  for (int b = 0; b < 8; ++b) {
    const int bin = kBins - 1 - (lane * 8 + b), count = bins[bin];
    if (above < wanted && above + count >= wanted) *found = {bin, above, count};
    above += count;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
radix_select(const DTYPE* __restrict__ X, DTYPE* __restrict__ values, int* __restrict__ indices, int N, int K, int held) {
  extern __shared__ __align__(16) unsigned char memory[];
  Key* best = reinterpret_cast<Key*>(memory);                // `held` of them
  unsigned* order = reinterpret_cast<unsigned*>(best + held);  // of the row
  __shared__ int bins[kBins];
  __shared__ Found found;
  __shared__ int gathered;
  const DTYPE* row = X + static_cast<long long>(blockIdx.x) * N;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < N; i += THREADS) order[i] = order_of(to_float(row[i]));
  if (thread == 0) gathered = 0;

  Key threshold = 0;
  int wanted = K;
  for (int shift = 56; shift >= 0; shift -= 8) {
    for (int b = thread; b < kBins; b += THREADS) bins[b] = 0;
    __syncthreads();
    for (int i = thread; i < N; i += THREADS) {
      const Key key = static_cast<Key>(order[i]) << 32 | (0xffffffffU - static_cast<unsigned>(i));
      if (shift == 56 || key >> (shift + 8) == threshold >> (shift + 8)) atomicAdd(&bins[key >> shift & 255], 1);
    }
    __syncthreads();
    if (thread < 32) find_bin(bins, wanted, &found);
    __syncthreads();
    threshold |= static_cast<Key>(found.bin) << shift;
    wanted -= found.above;
    if (wanted == found.held) break;  // the whole bin
  }

  for (int i = thread; i < held; i += THREADS) best[i] = 0;
  __syncthreads();
  for (int i = thread; i < N; i += THREADS) {
    const Key key = static_cast<Key>(order[i]) << 32 | (0xffffffffU - static_cast<unsigned>(i));
    if (key >= threshold) best[atomicAdd(&gathered, 1)] = key;
  }
  sort_falling(best, held);
  write_found(best, row, values, indices, K);
}
