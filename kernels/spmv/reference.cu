// One row of y for each index, by a warp: a single row may hold a good part of all non-zeros. Number j is index[j], or j when
// index is null.
#include "common/types.cuh"

extern "C" __global__ void reference(const int* starts, const int* columns, const DTYPE* values, const DTYPE* x,
                                     const long long* index, long long count, ACC* value, ACC* scale) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const long long j = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (j >= count) return;
  const long long row = index == nullptr ? j : index[j];
  const int begin = starts[row], end = starts[row + 1];
  ACC sum = 0, squares = 0;
#pragma unroll 4
  for (int i = begin + lane; i < end; i += 32) {
    const ACC term = static_cast<ACC>(values[i]) * static_cast<ACC>(x[columns[i]]);
    sum += term;
    squares += term * term;
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    sum += __shfl_down_sync(0xffffffffU, sum, apart);
    squares += __shfl_down_sync(0xffffffffU, squares, apart);
  }
  if (lane != 0) return;
  value[j] = sum;
  // The bound of a sum of n terms, u sqrt(n) 2 (|r| + 2 R) (docs/tolerance.md), as the 4 u s of this rule.
  scale[j] = sqrt(static_cast<ACC>(end - begin)) * (fabs(sum) + 2 * sqrt(squares)) / 2;
}
