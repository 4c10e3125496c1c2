// One place for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

extern "C" __global__ void reference(const int* starts, const int* columns, const DTYPE* A, const DTYPE* B, int M, int K,
                                     const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long z = index == nullptr ? j : index[j];
  int row = 0, after = M;  // starts[row] <= z < starts[after]
  while (after - row > 1) {
    const int middle = row + (after - row) / 2;
    if (starts[middle] <= z) row = middle;
    else after = middle;
  }
  const DTYPE* a = A + static_cast<long long>(row) * K;
  const DTYPE* b = B + static_cast<long long>(columns[z]) * K;
  ACC sum = 0, squares = 0;
  for (int k = 0; k < K; ++k) {
    const ACC term = static_cast<ACC>(to_float(a[k])) * static_cast<ACC>(to_float(b[k]));
    sum += term;
    squares += term * term;
  }
  value[j] = sum;
  scale[j] = sqrt(squares);
}
