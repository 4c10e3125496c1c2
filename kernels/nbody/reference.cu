// The acceleration of one body for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

extern "C" __global__ void reference(const float* P, int N, float softening_, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const float* own = P + (index == nullptr ? j : index[j]) * 4;
  const ACC softening = softening_;
  ACC sums[3] = {}, squares[3] = {}, sizes[3] = {};
  for (int other = 0; other < N; ++other) {
    const float* p = P + other * 4LL;
    ACC away[3], distance = softening * softening;
    for (int c = 0; c < 3; ++c) {
      away[c] = static_cast<ACC>(p[c]) - static_cast<ACC>(own[c]);
      distance += away[c] * away[c];
    }
    const ACC inverse = 1 / sqrt(distance), pull = static_cast<ACC>(p[3]) * inverse * inverse * inverse;
    for (int c = 0; c < 3; ++c) {
      const ACC term = pull * away[c];
      sums[c] += term;
      squares[c] += term * term;
      sizes[c] += fabs(term);
    }
  }
  for (int c = 0; c < 3; ++c) {
    value[j * 3 + c] = sums[c];
    // Of every term about 12 u (a difference, its squares to the power of 3/2, rsqrt within 1 ulp three times), and of their
    // sum sqrt(N) u 2 (|r| + 2 R), as the 4 u s of this rule (docs/tolerance.md).
    scale[j * 3 + c] = 3 * sizes[c] + sqrt(static_cast<ACC>(N)) * (fabs(sums[c]) + 2 * sqrt(squares[c])) / 2;
  }
}
