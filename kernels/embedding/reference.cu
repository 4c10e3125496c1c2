// What Y should be: Y[t][d] = table[ids[t]][d].
#include "common/copied.cuh"

extern "C" __global__ void reference(const int* ids, const DTYPE* table, long long D, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const DTYPE x = table[ids[i / D] * D + i % D];
  value[place] = to_float(x);
  scale[place] = copied_scale(x);
}
