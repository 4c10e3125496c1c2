// What y should be, element by element.
#include "common/types.cuh"

extern "C" __global__ void reference(const DTYPE* x, float a, const long long* index, long long count, ACC* value,
                                     ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  value[place] = ACC(a) * to_float(x[i]);
  scale[place] = fabs(value[place]);
}
