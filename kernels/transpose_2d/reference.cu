// What Y should be: Y[n][m] = X[m][n], in each matrix.
#include "common/copied.cuh"
#include "common/elementwise/packet.cuh"

extern "C" __global__ void reference(const DTYPE* X, long long M, long long N, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const long long in_matrix = i % (M * N);
  const DTYPE x = X[i - in_matrix + in_matrix % M * N + in_matrix / M];
#if DTYPE_FP64 || DTYPE_INT32
  value[place] = x;
#else
  value[place] = to_float(x);
#endif
  scale[place] = copied_scale(x);
}
