// What Y should be: Y[n][m] = X[m][n].
#include "common/elementwise/packet.cuh"

extern "C" __global__ void reference(const DTYPE* X, long long M, long long N, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  value[place] = to_float(X[i % M * N + i / M]);
  scale[place] = 0;
}
