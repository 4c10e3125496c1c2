#pragma once
// Which numbers are selected. The family defines WHAT: 0 select, 1 partition, 2 unique.
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

/// An integer is below the limit where it is below the next integer.
__device__ __forceinline__ bool is_below(Number x, float limit) {
#if DTYPE_INT32
  return x < static_cast<int>(ceilf(limit));
#else
  return x < limit;
#endif
}
