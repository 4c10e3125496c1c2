#pragma once
// What kernels read, accumulate and write. Accumulators are fp32, and D, C and bias have the problem's type, or what the
// flag `out` says; of fp8 they are bf16 unless it says otherwise. Products of int8 are accumulated in int32, and D, C
// and bias are int32 too.
#include "common/types.cuh"

#ifndef OUT  // families without the flag
#define OUT 0
#endif

/// OUT, a derived value of the family: 0 the problem's type, 1 bf16, 2 fp16, 3 fp32, 4 e4m3.
template <int>
struct OutType {
  using D = DTYPE;
  using Added = DTYPE;  // of C and bias
};
template <>
struct OutType<1> {
  using D = bf16_t;
  using Added = bf16_t;
};
template <>
struct OutType<2> {
  using D = fp16_t;
  using Added = fp16_t;
};
template <>
struct OutType<3> {
  using D = float;
  using Added = float;
};
template <>
struct OutType<4> {
  using D = e4m3_t;
  using Added = bf16_t;  // three bits of fraction are enough for a result, not for what goes into one
};

#if DTYPE_INT8
using Accumulator = int;
using Out = int;
using Added = int;
#else
using Accumulator = float;
using Out = OutType<OUT>::D;
using Added = OutType<OUT>::Added;
#endif

/// A number that was read (DTYPE or Added).
template <typename T>
__device__ __forceinline__ Accumulator to_accumulator(T x) {
#if DTYPE_INT8
  return x;
#else
  return to_float(x);
#endif
}
__device__ __forceinline__ Out from_accumulator(Accumulator x) {
#if DTYPE_INT8
  return x;
#else
  return from_float<Out>(x);
#endif
}

/// Where this block's matrix begins in a tensor of `batch` dense matrices of `elements` each: blockIdx.z counts them.
/// BATCHED: there are more than one.
template <typename T>
__device__ __forceinline__ T* of_batch(T* tensor, long long elements) {
  return BATCHED ? tensor + blockIdx.z * elements : tensor;
}
