// What Y should be, element by element, and how far the roundings of all steps may take it.
#include "common/types.cuh"

__device__ __forceinline__ ACC magnitude(ACC x) { return x < 0 ? -x : x; }

extern "C" __global__ void reference(const DTYPE* X, int n, float a, float b, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  // A result below fp32's normal numbers is rounded to a multiple of 2^-149: 2^-150 off, as 4 u of 2^-128.
  const ACC subnormal = 2.938735877055719e-39;
  ACC x = to_float(X[index == nullptr ? place : index[place]]), error = 0;
  for (int i = 0; i < n; ++i) {
    error = magnitude(a) * error + magnitude(a * x) + magnitude(b) + subnormal;
    x = ACC(a) * x + ACC(b);
  }
  value[place] = x;
  scale[place] = error + magnitude(x);
}
