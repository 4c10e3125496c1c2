#pragma once
// For references: the largest magnitude of a tensor, found by two launches before they are asked for values.
//   [[reference_launch]]  forget_largest  grid = [1]  block = [1]  arguments = ["largest"]
//   [[reference_launch]]  find_largest    any grid, block = [256]  arguments = ["X", "i64: M * N", "largest"]
#include "common/types.cuh"

extern "C" __global__ void forget_largest(unsigned* largest) {
  *largest = 0;
}

/// The bits of the largest magnitude of all X; those of NaN are larger than any number's.
extern "C" __global__ void __launch_bounds__(256) find_largest(const DTYPE* X, long long count, unsigned* largest) {
  unsigned most = 0;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const unsigned bits = bits_from_float(to_float(X[i])) & 0x7fffffffU;
    if (bits > most) most = bits;
  }
  atomicMax(largest, most);
}
