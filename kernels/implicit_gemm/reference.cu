// One element for each index. Number j is index[j], or j when index is null.
//
// Beyond the edges there are zeros, or nothing: a kernel may leave a place there out, or multiply by 0, and then an
// infinite filter gives NaN. Where that makes a difference -infinity in `scale` takes both.
#include "common/types.cuh"

__device__ bool is_finite(const DTYPE* numbers, int count) {
  for (int k = 0; k < count; ++k)
    if (const ACC number = to_float(numbers[k]); number - number != 0) return false;
  return true;
}

extern "C" __global__ void reference(const DTYPE* X, const DTYPE* W, int M, int N, int C, int F, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j];
  const long long f = at % F, pixel = at / F, column = pixel % N, row = pixel / N % M;
  ACC sum = 0, squares = 0;
  bool is_told = true;
  for (int u = 0; u < SIZE; ++u)
    for (int v = 0; v < SIZE; ++v) {
      const long long r = row + u - SIZE / 2, c = column + v - SIZE / 2;
      const DTYPE* w = W + ((f * SIZE + u) * SIZE + v) * C;
      if (r < 0 || r >= M || c < 0 || c >= N) {
        is_told = is_told && is_finite(w, C);
        continue;
      }
      const DTYPE* x = X + (pixel + (r - row) * N + (c - column)) * C;
      for (int k = 0; k < C; ++k) {
        const ACC term = static_cast<ACC>(to_float(x[k])) * static_cast<ACC>(to_float(w[k]));
        sum += term;
        squares += term * term;
      }
    }
  value[j] = sum;
  scale[j] = is_told ? sqrt(squares) : -__int_as_float(0x7f800000);
}
