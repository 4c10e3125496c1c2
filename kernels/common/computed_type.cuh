#pragma once
// The type in which kernels that add up and compare numbers of DTYPE compute: double, int, or float for all others. Every
// function is one thread's own; no fence.
#include "common/types.cuh"

#if DTYPE_FP64
using Number = double;
#elif DTYPE_INT32
using Number = int;
#else
using Number = float;
#endif

__device__ __forceinline__ Number number_of(DTYPE x) {
#if DTYPE_FP64 || DTYPE_INT32
  return x;
#else
  return to_float(x);
#endif
}
