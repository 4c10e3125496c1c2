// The idea: elimination forwards, substitution backwards, a system for each thread. What the second pass needs of the
// first is kept in an array of the thread (local memory) or computed again from the inputs for each unknown's ratio.
#include "common/types.cuh"

constexpr int kMost = 256;

__device__ float diagonal(const DTYPE* lower, const DTYPE* upper, int i) {
  return 2 + fabsf(lower[i]) + fabsf(upper[i]);
}

extern "C" __global__ void thomas(const DTYPE* lower, const DTYPE* upper, const DTYPE* b, DTYPE* x, int S, int N) {
  const int system = blockIdx.x * THREADS + threadIdx.x;
  if (system >= S) return;
  const long long row = static_cast<long long>(system) * N;
  lower += row, upper += row, b += row, x += row;
#if KEPT_LOCAL
  float ratio[kMost];
#endif
  float before = 0, value = 0;  // upper[i - 1] over the pivot, and the right-hand side so far
  for (int i = 0; i < N; ++i) {
    const float pivot = diagonal(lower, upper, i) - (i > 0 ? lower[i] * before : 0);
    value = (b[i] - (i > 0 ? lower[i] * value : 0)) / pivot;
    before = upper[i] / pivot;
#if KEPT_LOCAL
    ratio[i] = before;
#endif
    x[i] = value;
  }
  for (int i = N - 2; i >= 0; --i) {
#if KEPT_LOCAL
    const float factor = ratio[i];
#else
    float factor = 0;
    for (int j = 0; j <= i; ++j) factor = upper[j] / (diagonal(lower, upper, j) - (j > 0 ? lower[j] * factor : 0));
#endif
    value = x[i] - factor * value;
    x[i] = value;
  }
}
