// One element for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

extern "C" __global__ void reference(const DTYPE* X, const DTYPE* W, int M, int N, int C, int F, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j];
  const long long f = at % F, pixel = at / F, column = pixel % N, row = pixel / N % M;
  ACC sum = 0, squares = 0;
  for (int u = 0; u < SIZE; ++u)
    for (int v = 0; v < SIZE; ++v) {
      const long long r = row + u - SIZE / 2, c = column + v - SIZE / 2;
      if (r < 0 || r >= M || c < 0 || c >= N) continue;
      const DTYPE* x = X + (pixel + (r - row) * N + (c - column)) * C;
      const DTYPE* w = W + ((f * SIZE + u) * SIZE + v) * C;
      for (int k = 0; k < C; ++k) {
        const ACC term = static_cast<ACC>(to_float(x[k])) * static_cast<ACC>(to_float(w[k]));
        sum += term;
        squares += term * term;
      }
    }
  value[j] = sum;
  scale[j] = sqrt(squares);
}
