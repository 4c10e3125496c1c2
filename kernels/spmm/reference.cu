// One element of C for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

constexpr float kSmallest = 1.1754943508222875e-38f;  // below the smallest normal number errors are as large as at it

extern "C" __global__ void reference(const int* starts, const int* columns, const DTYPE* values, const DTYPE* B, int N,
                                     const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j];
  const long long row = at / N, n = at % N;
  const int begin = starts[row], end = starts[row + 1];
  ACC sum = 0, squares = 0;
  for (int i = begin; i < end; ++i) {
    const DTYPE b = B[columns[i] * static_cast<long long>(N) + n];
    const ACC term = static_cast<ACC>(to_float(values[i])) * static_cast<ACC>(to_float(b));
    sum += term;
    squares += term * term;
  }
  value[j] = sum;
  // The bound of a sum of n terms, u sqrt(n) 2 (|r| + 2 R) (docs/tolerance.md), as the 4 u s of this rule.
  scale[j] = sqrt(static_cast<ACC>(end - begin)) * (fabs(sum) + 2 * sqrt(squares) + 2 * kSmallest) / 2;
}
