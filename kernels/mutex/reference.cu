// One record for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

extern "C" __global__ void reference(const int* cells, const int* X, int N, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long cell = index == nullptr ? j : index[j];
  int met = 0, least = 0x7fffffff, largest = -0x7fffffff - 1;
  unsigned sum = 0;
  for (int n = 0; n < N; ++n) {
    if (cells[n] != cell) continue;
    ++met;
    sum += static_cast<unsigned>(X[n]);
    least = min(least, X[n]);
    largest = max(largest, X[n]);
  }
  value[4 * j] = met;
  value[4 * j + 1] = static_cast<int>(sum);
  value[4 * j + 2] = least;
  value[4 * j + 3] = largest;
  for (int i = 0; i < 4; ++i) scale[4 * j + i] = 0;
}
