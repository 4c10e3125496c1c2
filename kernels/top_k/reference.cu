// The K largest of a row, found by `team` threads in K passes. Row number j is index[j], or row j when index is null.
#include "common/types.cuh"

__device__ bool is_larger(double a, double b) { return b == b && (a != a || a > b); }

struct Best {
  double value;
  int equal;  // so many; 0: there is none
};
__device__ Best join(const Best& a, const Best& b) {
  if (a.equal == 0 || b.equal == 0) return a.equal == 0 ? b : a;
  if (is_larger(a.value, b.value)) return a;
  if (is_larger(b.value, a.value)) return b;
  return {a.value, a.equal + b.equal};
}

/// Of the team: the largest that is smaller than `below`, if there is one. Every thread of the block calls it.
__device__ Best next_best(const DTYPE* row, int N, int team, bool is_first, double below) {
  __shared__ Best best[1024];
  const int t = static_cast<int>(threadIdx.x), own = t % team;
  Best mine = {0, 0};
  for (int i = row != nullptr ? own : N; i < N; i += team) {
    const double x = to_float(row[i]);
    if (is_first || is_larger(below, x)) mine = join(mine, Best{x, 1});
  }
  best[t] = mine;
  __syncthreads();
  for (int half = team / 2; half > 0; half /= 2) {
    if (own < half) best[t] = join(best[t], best[t + half]);
    __syncthreads();
  }
  mine = best[t - own];
  __syncthreads();
  return mine;
}

extern "C" __global__ void __launch_bounds__(1024)
reference(const DTYPE* X, int N, int K, int team, const long long* index, long long count, ACC* value, ACC* scale) {
  const int t = static_cast<int>(threadIdx.x);
  const long long j = (1024LL * blockIdx.x + t) / team;
  const DTYPE* row = j < count ? X + (index == nullptr ? j : index[j]) * N : nullptr;
  double below = 0;  // the next are the largest that are smaller than this
  int found = j < count ? 0 : K;
  while (__syncthreads_or(found < K)) {
    const Best best = next_best(found < K ? row : nullptr, N, team, found == 0, below);
    for (int i = 0; i < best.equal && found < K; ++i, ++found) {
      if (t % team != 0) continue;
      value[j * K + found] = static_cast<ACC>(best.value);
      scale[j * K + found] = 0;
    }
    below = best.value;
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
