#pragma once
// Which numbers are selected. The family defines WHAT: 0 select, 1 partition, 2 unique.
#include "common/computed_type.cuh"

/// An integer is below the limit where it is below the next integer.
__device__ __forceinline__ bool is_below(Number x, float limit) {
#if DTYPE_INT32
  return limit >= 2147483648.0f || x < static_cast<int>(ceilf(limit));  // beyond, all are; a conversion there is not defined
#else
  return x < limit;
#endif
}
