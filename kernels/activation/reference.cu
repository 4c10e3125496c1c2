// What Y should be, element by element, and how far one rounding may take it.
#include "common/elementwise/activation_reference.cuh"

extern "C" __global__ void reference(const DTYPE* X, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const Bent y = bend<OP>(to_float(X[index == nullptr ? place : index[place]]));
  value[place] = y.value;
  scale[place] = y.error;
}
