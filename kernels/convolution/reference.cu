// One element for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

extern "C" __global__ void reference(const DTYPE* X, const float* F, int M, int N, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j];
  const long long row = at / N % M, column = at % N;
  const DTYPE* image = X + at / N / M * M * N;
  ACC sum = 0, squares = 0;
  for (int u = 0; u < SIZE; ++u)
    for (int v = 0; v < SIZE; ++v) {
      const long long r = row + u - SIZE / 2, c = column + v - SIZE / 2;
      if (r < 0 || r >= M || c < 0 || c >= N) continue;  // nothing is there: a filter's infinity meets no 0
      const ACC term = static_cast<ACC>(to_float(image[r * N + c])) * static_cast<ACC>(F[u * SIZE + v]);
      sum += term;
      squares += term * term;
    }
  value[j] = sum;
  scale[j] = sqrt(squares);
}
