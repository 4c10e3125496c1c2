// One column for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

extern "C" __global__ void reference(const DTYPE* X, const DTYPE* w, int M, int N, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long column = index == nullptr ? j : index[j];
  ACC sum = 0, squares = 0;
  for (long long row = 0; row < M; ++row) {
    const ACC term = static_cast<ACC>(w[column]) * static_cast<ACC>(X[row * N + column]);
    sum += term;
    squares += term * term;
  }
  value[j] = sum;
  scale[j] = sqrt(squares);
}
