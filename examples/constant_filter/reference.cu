// Output j is index[j], or j when index is null.
#include "common/types.cuh"

extern "C" __global__ void reference(const float* x, const float* f, int N, int W, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long first = (index == nullptr ? j : index[j]) - W / 2;
  ACC sum = 0, squares = 0;
  for (int k = 0; k < W; ++k) {
    if (first + k < 0 || first + k >= N) continue;
    const ACC term = static_cast<ACC>(x[first + k]) * static_cast<ACC>(f[W - 1 - k]);
    sum += term;
    squares += term * term;
  }
  value[j] = sum;
  scale[j] = sqrt(squares);
}
