// One point for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

// Below the smallest normal number errors are as large as at it.
constexpr double kSmallest = DTYPE_BYTES == 8 ? 2.2250738585072014e-308 : 1.1754943508222875e-38;

struct Sum {
  ACC value, sizes;  // sizes: the sum of the terms' magnitudes
};

__device__ ACC element(const DTYPE* X, int M, int N, long long row, long long column) {
  return row < 0 || row >= M || column < 0 || column >= N ? ACC(0) : static_cast<ACC>(X[row * N + column]);
}

__device__ Sum one_step(const DTYPE* X, int M, int N, long long row, long long column, ACC centre, ACC side) {
  if (row < 0 || row >= M || column < 0 || column >= N) return {0, 0};
  const ACC middle = element(X, M, N, row, column);
  const ACC left = element(X, M, N, row, column - 1), right = element(X, M, N, row, column + 1);
  const ACC above = element(X, M, N, row - 1, column), below = element(X, M, N, row + 1, column);
  return {centre * middle + side * (left + right + above + below),
          fabs(centre * middle) + fabs(side) * (fabs(left) + fabs(right) + fabs(above) + fabs(below))};
}

extern "C" __global__ void reference(const DTYPE* X, int M, int N, float centre_, float side_, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j];
  const long long row = at / N, column = at % N;
  const ACC centre = centre_, side = side_;
  const Sum middle = one_step(X, M, N, row, column, centre, side);
  value[j] = middle.value;
  scale[j] = 1.5f * (middle.sizes + kSmallest);  // at most 5 roundings, each of no more than the sum of the magnitudes: 5 u s
  if (!TWO) return;
  const Sum left = one_step(X, M, N, row, column - 1, centre, side), right = one_step(X, M, N, row, column + 1, centre, side);
  const Sum above = one_step(X, M, N, row - 1, column, centre, side), below = one_step(X, M, N, row + 1, column, centre, side);
  value[j] = centre * middle.value + side * (left.value + right.value + above.value + below.value);
  scale[j] = 3 * (fabs(centre) * middle.sizes + fabs(side) * (left.sizes + right.sizes + above.sizes + below.sizes) + kSmallest);
}
