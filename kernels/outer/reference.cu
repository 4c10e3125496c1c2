// What A should be, element by element: value = x y, and scale = its size.
#include "common/types.cuh"

extern "C" __global__ void reference(const DTYPE* X, const DTYPE* Y, int N, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const ACC product = ACC(to_float(X[i / N])) * ACC(to_float(Y[i % N]));
  value[place] = product;
  scale[place] = product < 0 ? -product : product;
}
