// Rung 0, thread_per_row: a thread walks along a row.
//
// Idea       nobody has to meet anybody.
// Parameters THREADS of a block.
// Expects    anything.
// Lacks      neighbours: those of a warp read elements N apart, 32 sectors an access.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
thread_per_row(const DTYPE* __restrict__ X, int* __restrict__ indices, int M, int N) {
  const int m = static_cast<int>(blockIdx.x) * THREADS + static_cast<int>(threadIdx.x);
  if (m >= M) return;
  const DTYPE* row = X + static_cast<long long>(m) * N;
  float most = to_float(row[0]);
  int best = 0;
  for (int i = 1; i < N; ++i) {
    const float x = to_float(row[i]);
    if (most == most && !(x <= most)) {  // larger, or NaN
      most = x;
      best = i;
    }
  }
  indices[m] = best;
}
