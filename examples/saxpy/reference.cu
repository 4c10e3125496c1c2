// What z should be, element by element, in ACC: double where the device is good at it, else float.
#include "common/types.cuh"

extern "C" __global__ void reference(const DTYPE* x, const DTYPE* y, float a, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const ACC product = ACC(a) * x[i];
  const ACC term = y[i];
  value[place] = product + term;
  scale[place] = sqrt(product * product + term * term);
}
