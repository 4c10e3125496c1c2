// What Y should be: Y[f][n] = X[n][f].
#include "common/copied.cuh"

extern "C" __global__ void reference(const DTYPE* X, long long N, long long F, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const DTYPE x = X[i % N * F + i / N];
  value[place] = to_float(x);
  scale[place] = copied_scale(x);
}
