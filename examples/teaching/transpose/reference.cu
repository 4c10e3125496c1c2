#include "common/types.cuh"

// Output number j is element index[j] of out, or element j when index is null; out is N x M.
extern "C" __global__ void reference(const DTYPE* x, const long long* index, long long count, ACC* value, ACC* scale,
                                     int M, int N) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long element = index == nullptr ? j : index[j];
  const long long row = element % M, column = element / M;  // of x
  value[j] = ACC(to_float(x[row * N + column]));
  scale[j] = 0;
}
