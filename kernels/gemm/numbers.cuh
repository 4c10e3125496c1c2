#pragma once
// What the rungs read, add up and write. Sums are fp32, and what is written has the problem's type; products of int8
// are added up as int32, and C, bias and D are int32 too.
#include "common/types.cuh"

#if DTYPE_INT8
using Sum = int;
using Out = int;
#else
using Sum = float;
using Out = DTYPE;
#endif

__device__ __forceinline__ Sum to_sum(DTYPE x) {
#if DTYPE_INT8
  return x;
#else
  return to_float(x);
#endif
}
#if DTYPE_INT8
__device__ __forceinline__ Sum to_sum(Out x) { return x; }
__device__ __forceinline__ Out from_sum(Sum x) { return x; }
#else
__device__ __forceinline__ Out from_sum(Sum x) { return from_float<Out>(x); }
#endif

/// Where this block's matrix begins in a tensor of `batch` dense matrices of `elements` each: blockIdx.z counts them.
/// BATCHED: there are more than one.
template <typename T>
__device__ __forceinline__ T* of_batch(T* tensor, long long elements) {
  return BATCHED ? tensor + blockIdx.z * elements : tensor;
}
