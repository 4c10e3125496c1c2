// What Y should be before it is rounded: the number itself; of int8, which has no NaN, 0 for it.
#include "common/elementwise/packet.cuh"

extern "C" __global__ void reference(const DTYPE* X, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const ACC x = to_float(X[index == nullptr ? place : index[place]]);
  const bool nothing = OUT == 5 && x != x;
  value[place] = nothing ? ACC(0) : x;
  scale[place] = 0;
}
