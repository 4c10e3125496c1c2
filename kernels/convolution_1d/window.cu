// Rung 2, window: a piece of the row in shared memory, EACH elements of y side by side a thread.
//
// Idea       what a thread reads serves all of its elements: (EACH + SIZE - 1) loads from shared memory instead of EACH SIZE.
//            EACH is odd, so that 32 threads meet 32 banks. Elements become fp32 once, when they are loaded.
// Parameters THREADS of a block, EACH elements a thread.
// Expects    anything. The filter is put into constant memory before the run, which is not timed.
// Lacks      whole lines a thread: y leaves in steps of EACH elements, and L2 puts the lines together.
#include "common/types.cuh"

__constant__ float filter[SIZE];

constexpr int kHalo = SIZE / 2, kTile = THREADS * EACH, kHeld = kTile + 2 * kHalo;

/// `AT_END`: part of the window lies beyond the row, and infinity times nothing is nothing.
template <bool AT_END>
__device__ __forceinline__ void add_all(float (&sums)[EACH], const float* window, long long first, int N) {
#pragma unroll
  for (int w = 0; w < EACH + SIZE - 1; ++w) {
    if (AT_END && (first + w < 0 || first + w >= N)) continue;
    const float element = window[w];
#pragma unroll
    for (int e = 0; e < EACH; ++e)
      if (w - e >= 0 && w - e < SIZE) sums[e] += element * filter[w - e];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) window(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int N) {
  __shared__ float held[kHeld];
  const long long first = static_cast<long long>(blockIdx.x) * kTile - kHalo;
  const long long row = static_cast<long long>(blockIdx.y) * N;
  for (int i = static_cast<int>(threadIdx.x); i < kHeld; i += THREADS) {
    const long long at = first + i;
    held[i] = at >= 0 && at < N ? to_float(X[row + at]) : 0.0f;
  }
  __syncthreads();
  const int own = static_cast<int>(threadIdx.x) * EACH;
  float sums[EACH] = {};
  if (first < 0 || first + kHeld > N) add_all<true>(sums, held + own, first + own, N);
  else add_all<false>(sums, held + own, first + own, N);
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    const long long i = first + kHalo + own + e;
    if (i < N) Y[row + i] = from_float<DTYPE>(sums[e]);
  }
}
