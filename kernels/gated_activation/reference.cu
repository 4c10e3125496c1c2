// What Y should be, element by element, and how far one rounding may take it.
#include "common/elementwise/activation_reference.cuh"

extern "C" __global__ void reference(const DTYPE* X, int N, const long long* index, long long count, ACC* value,
                                     ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const DTYPE* row = X + i / N * 2 * N;
  const Bent gate = bend<OP>(to_float(row[i % N]));
  const ACC up = to_float(row[N + i % N]);
  value[place] = gate.value * up;
  scale[place] = magnitude(value[place]) + gate.error * magnitude(up);
}
