// What Z should be, element by element in ACC: value, and scale = sqrt of the sum of the squared terms.
#include "common/types.cuh"

extern "C" __global__ void reference(const DTYPE* X, const DTYPE* Y, float a, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const ACC product = (OP == 1 ? ACC(1) : ACC(a)) * to_float(X[i]);
  const ACC term = OP == 2 ? ACC(0) : ACC(to_float(Y[i]));
  value[place] = product + term;
  scale[place] = sqrt(product * product + term * term);
}
