#pragma once
// What bends the product, chosen at compile time (ACTIVATION: 0 none, 1 relu, 2 gelu, 3 silu). T is Sum in kernels, ACC
// in the reference.

template <typename T>
__device__ __forceinline__ T activate(T x) {
  if constexpr (ACTIVATION == 1) return x < T(0) ? T(0) : x;  // NaN stays NaN
  if constexpr (ACTIVATION == 2) return T(0.5) * x * (T(1) + erf(x * T(0.70710678118654752)));
  if constexpr (ACTIVATION == 3) return x / (T(1) + exp(-x));
  return x;
}
