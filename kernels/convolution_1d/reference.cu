// One element of y for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

extern "C" __global__ void reference(const DTYPE* X, const float* F, int N, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j];
  const long long i = at % N, row = at - i;
  ACC sum = 0, squares = 0;
  for (int u = 0; u < SIZE; ++u) {
    const long long from = i + u - SIZE / 2;
    if (from < 0 || from >= N) continue;
    const ACC term = static_cast<ACC>(to_float(X[row + from])) * static_cast<ACC>(F[u]);
    sum += term;
    squares += term * term;
  }
  value[j] = sum;
  scale[j] = sqrt(squares);
}
