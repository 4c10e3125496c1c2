// One point for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

// Below the smallest normal number errors are as large as at it.
constexpr double kSmallest = DTYPE_BYTES == 8 ? 2.2250738585072014e-308 : 1.1754943508222875e-38;

struct Sum {
  ACC value, sizes;  // sizes: the sum of the terms' magnitudes
};
__device__ void add(Sum& sum, const DTYPE* X, long long at, bool inside) {
  if (!inside) return;
  sum.value += static_cast<ACC>(X[at]);
  sum.sizes += fabs(static_cast<ACC>(X[at]));
}

extern "C" __global__ void reference(const DTYPE* X, int D, int M, int N, float centre_, float side_, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j];
  const long long plane = at / N / M, row = at / N % M, column = at % N, area = static_cast<long long>(M) * N;
  const ACC centre = centre_, side = side_, middle = X[at];
  Sum around = {0, 0};
  add(around, X, at - 1, column > 0);
  add(around, X, at + 1, column < N - 1);
  add(around, X, at - N, row > 0);
  add(around, X, at + N, row < M - 1);
  add(around, X, at - area, plane > 0);
  add(around, X, at + area, plane < D - 1);
  value[j] = centre * middle + side * around.value;
  // At most 6 roundings, each of no more than the sum of the magnitudes: 7 u s.
  scale[j] = 1.75f * (fabs(centre * middle) + fabs(side) * around.sizes + kSmallest);
}
