// One element of C for each index, 32 of them by a block of 8 warps, each with every eighth term: a single row may hold a good
// part of all non-zeros. Number j is index[j], or j when index is null.
#include "common/types.cuh"

constexpr float kSmallest = 1.1754943508222875e-38f;  // below the smallest normal number errors are as large as at it

extern "C" __global__ void reference(const int* starts, const int* columns, const DTYPE* values, const DTYPE* B, int N,
                                     const long long* index, long long count, ACC* value, ACC* scale) {
  __shared__ ACC sums[8][32], squares[8][32];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const long long j = 32LL * blockIdx.x + lane;
  int begin = 0, end = 0;
  ACC sum = 0, square = 0;
  if (j < count) {
    const long long at = index == nullptr ? j : index[j];
    const long long row = at / N, n = at % N;
    begin = starts[row];
    end = starts[row + 1];
#pragma unroll 4
    for (int i = begin + warp; i < end; i += 8) {
      const DTYPE b = B[columns[i] * static_cast<long long>(N) + n];
      const ACC term = static_cast<ACC>(to_float(values[i])) * static_cast<ACC>(to_float(b));
      sum += term;
      square += term * term;
    }
  }
  sums[warp][lane] = sum;
  squares[warp][lane] = square;
  __syncthreads();
  if (j >= count || warp != 0) return;
  for (int i = 1; i < 8; ++i) {
    sum += sums[i][lane];
    square += squares[i][lane];
  }
  value[j] = sum;
  // The bound of a sum of n terms, u sqrt(n) 2 (|r| + 2 R) (docs/tolerance.md), as the 4 u s of this rule.
  scale[j] = sqrt(static_cast<ACC>(end - begin)) * (fabs(sum) + 2 * sqrt(square) + 2 * kSmallest) / 2;
}
