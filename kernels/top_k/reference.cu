// The K largest of a row, found by K passes. Row number j is index[j], or row j when index is null.
#include "common/types.cuh"

__device__ bool is_larger(double a, double b) { return b == b && (a != a || a > b); }

extern "C" __global__ void reference(const DTYPE* X, int N, int K, const long long* index, long long count, ACC* value,
                                     ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const DTYPE* row = X + (index == nullptr ? j : index[j]) * N;
  double below = 0;  // the next are the largest that are smaller than this
  int found = 0;
  while (found < K) {
    double best = 0;
    int equal = 0;
    for (int i = 0; i < N; ++i) {
      const double x = to_float(row[i]);
      if (found > 0 && !is_larger(below, x)) continue;
      if (equal > 0 && is_larger(best, x)) continue;
      equal = equal > 0 && !is_larger(x, best) ? equal + 1 : 1;
      best = x;
    }
    for (int i = 0; i < equal && found < K; ++i, ++found) {
      value[j * K + found] = static_cast<ACC>(best);
      scale[j * K + found] = 0;
    }
    below = best;
  }
}

// Every index must be one of the row, hold the value beside it, and be there once. error[j] counts those that do not.
extern "C" __global__ void judge_indices(const DTYPE* X, const DTYPE* values, const int* indices, int N, int K,
                                         const long long* index, long long count, float* error, int* code) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long row = index == nullptr ? j : index[j];
  int wrong = 0, worst = 0;
  for (int k = 0; k < K; ++k) {
    const int at = indices[row * K + k];
    int found = 0;
    if (at < 0 || at >= N) {
      found = 1;
    } else {
      const float x = to_float(X[row * N + at]), y = to_float(values[row * K + k]);
      if (x != y && (x == x || y == y)) found = 2;
      for (int other = 0; other < k && found == 0; ++other)
        if (indices[row * K + other] == at) found = 3;
    }
    if (found != 0 && worst == 0) worst = found;
    wrong += found != 0;
  }
  error[j] = 2.0f * static_cast<float>(wrong);
  code[j] = worst;
}
