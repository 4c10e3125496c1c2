#pragma once
// relu, silu and gelu from their definitions, in ACC, with what one rounding can do: for the references of families that
// bend something. WHICH as in activations.cuh: 0 gelu by tanh, 1 gelu by erf, 2 silu, 3 relu.
#include "common/types.cuh"

struct Bent {
  ACC value;
  ACC error;  // |f| + |x f'| + the largest intermediate that cancels
};

__device__ __forceinline__ ACC magnitude(ACC x) { return x < 0 ? -x : x; }

/// x / 2 is what cancels in gelu's 1 + tanh and 1 + erf. Of silu, 1 / (1 + exp(-x)) may be flushed to zero where it is
/// below fp32's normal numbers: |x| 2^-126 = 4 u |x| 2^-104.
template <int WHICH>
__device__ __forceinline__ Bent bend(ACC x) {
  ACC f, slope, cancels = magnitude(x) / 2;
  if (WHICH == 0) {
    const ACC root = ACC(0.79788456080286536);  // sqrt(2 / pi)
    const ACC t = tanh(root * (x + ACC(0.044715) * x * x * x));
    f = x / 2 * (1 + t);
    slope = (1 + t) / 2 + x / 2 * (1 - t * t) * root * (1 + ACC(0.134145) * x * x);
  } else if (WHICH == 1) {
    const ACC phi = (1 + erf(x * ACC(0.70710678118654752))) / 2;
    f = x * phi;
    slope = phi + x * exp(-x * x / 2) * ACC(0.39894228040143268);
  } else if (WHICH == 2) {
    const ACC logistic = 1 / (1 + exp(-x));
    f = x * logistic;
    slope = logistic * (1 + x - f);
    cancels = magnitude(x) * ACC(4.930380657631324e-32);  // 2^-104
  } else {
    f = x < 0 ? ACC(0) : x;
    slope = x < 0 ? 0 : 1;
    cancels = 0;
  }
  const ACC error = magnitude(f) + magnitude(slope * x) + cancels;
  return {f, error < ACC(1e300) ? error : magnitude(f)};  // infinity times 0: of huge numbers the slope is 0 or 1
}
