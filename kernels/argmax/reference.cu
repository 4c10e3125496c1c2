// The place of the largest element of one row for each index. Row number j is index[j], or row j when index is null.
#include "common/types.cuh"

extern "C" __global__ void reference(const DTYPE* X, int N, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const DTYPE* row = X + (index == nullptr ? j : index[j]) * N;
  int best = 0;
  for (int i = 1; i < N; ++i) {
    const float x = to_float(row[i]), most = to_float(row[best]);
    if (most == most && (x != x || x > most)) best = i;
  }
  value[j] = static_cast<ACC>(best);
  scale[j] = 0;
}
