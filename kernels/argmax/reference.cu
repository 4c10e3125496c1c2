// The place of the largest element of one row for each index, by `team` threads. Row number j is index[j], or row j when index
// is null.
#include "common/types.cuh"

__device__ bool is_better(float x, int at, float most, int best) {
  const bool x_is_nan = x != x, most_is_nan = most != most;
  if (x_is_nan != most_is_nan) return x_is_nan;
  if (!x_is_nan && x != most) return x > most;
  return at < best;
}

extern "C" __global__ void __launch_bounds__(1024)
reference(const DTYPE* X, int N, int team, const long long* index, long long count, ACC* value, ACC* scale) {
  __shared__ int best[1024];
  const int t = static_cast<int>(threadIdx.x), own = t % team;
  const long long j = (1024LL * blockIdx.x + t) / team;
  const DTYPE* row = X;
  if (j < count) {
    row += (index == nullptr ? j : index[j]) * N;
    int mine = own;
    for (int i = own + team; i < N; i += team)
      if (is_better(to_float(row[i]), i, to_float(row[mine]), mine)) mine = i;
    best[t] = mine;
  }
  __syncthreads();
  for (int half = team / 2; half > 0; half /= 2) {
    if (j < count && own < half) {
      const int a = best[t], b = best[t + half];
      if (is_better(to_float(row[b]), b, to_float(row[a]), a)) best[t] = b;
    }
    __syncthreads();
  }
  if (j >= count || own != 0) return;
  value[j] = static_cast<ACC>(best[t]);
  scale[j] = 0;
}
