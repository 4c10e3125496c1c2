// What Y should be before it is rounded: the number itself. int8 has no NaN: 0; and as much below zero as above: -127.
#include "common/elementwise/packet.cuh"

extern "C" __global__ void reference(const DTYPE* X, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const ACC x = to_float(X[index == nullptr ? place : index[place]]);
  const bool to_int8 = OUT == 5, nothing = to_int8 && x != x;
  value[place] = nothing ? ACC(0) : to_int8 && x < -127 ? ACC(-127) : x;
  scale[place] = 0;
}
