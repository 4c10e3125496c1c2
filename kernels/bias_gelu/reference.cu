// What Y should be, element by element, and how far one rounding may take it.
#include "common/elementwise/activation_reference.cuh"

extern "C" __global__ void reference(const DTYPE* X, const DTYPE* bias, int N, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const Bent y = bend<OP>(ACC(to_float(X[i])) + ACC(to_float(bias[i % N])));
  value[place] = y.value;
  scale[place] = y.error;
}
