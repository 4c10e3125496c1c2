#pragma once
// What numbers are reduced to. The family defines OP: 0 sum, 1 max, 2 min; 16-bit types are added up in fp32.
#include "common/computed_type.cuh"
#include "common/rows/row_math.cuh"

/// Sums of integers wrap around. The largest, or least, of numbers with a NaN among them is NaN.
__device__ __forceinline__ Number combine(Number a, Number b) {
  if constexpr (OP == 1) return b > a || b != b ? b : a;
  if constexpr (OP == 2) return b < a || b != b ? b : a;
#if DTYPE_INT32
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
#else
  return a + b;
#endif
}

/// What changes no result.
__device__ __forceinline__ Number nothing() {
  if (OP == 0) return 0;
#if DTYPE_INT32
  return OP == 1 ? static_cast<int>(0x80000000U) : 0x7fffffff;
#else
  return OP == 1 ? -infinity() : infinity();
#endif
}
