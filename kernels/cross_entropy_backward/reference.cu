// What dx should be, by its definition (family.toml).
#include "common/types.cuh"

__device__ __forceinline__ ACC size_of(ACC a) { return a < 0 ? -a : a; }

extern "C" __global__ void reference(const DTYPE* X, const int* labels, const float* lse, const float* dloss, int V,
                                     float smoothing, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const long long row = i / V;
  value[place] = 0;
  scale[place] = 0;
  if (labels[row] < 0) return;
  const ACC e = smoothing, above = dloss[row];
  const ACC apart = ACC(to_float(X[i])) - ACC(lse[row]);
  const ACC p = exp(apart);
  const ACC taken = (i % V == labels[row] ? 1 - e : ACC(0)) + e / V;
  value[place] = (p - taken) * above;
  const ACC of_p = p == 0 ? ACC(0) : p * (1 + size_of(apart));  // not 0 times infinity
  const ACC size = size_of(above) * (of_p + taken) + size_of(value[place]);
  scale[place] = size <= ACC(3.4028234e38f) ? size : ACC(0);
}
