#pragma once
// relu, silu and gelu as fp32. The smooth ones are x times a logistic function, x / (1 + exp(-x Q(x^2))): of silu Q is 1,
// of gelu by tanh it has degree 1 (1 + tanh(u) = 2 / (1 + exp(-2u))), of gelu by erf a fit of degree 6. So nothing
// cancels, and no exponential that overflows becomes NaN: exp(-x Q) is infinite only where the answer is 0.

enum Activation { kGeluTanh, kGeluErf, kSilu, kRelu };

/// 1 / (1 + 2^z): ex2.approx and rcp.approx are right to 2^-22. PTX ISA, ex2, rcp.
__device__ __forceinline__ float logistic_of_power(float z) {
  float power, result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(z));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(1.0f + power));
  return result;
}

/// WHICH is one of Activation. NaN stays NaN; of -infinity gelu and silu are NaN (-infinity times 0), as their
/// definitions are.
template <int WHICH>
__device__ __forceinline__ float activate(float x) {
  constexpr double kLog2e = 1.4426950408889634;
  if constexpr (WHICH == kRelu) return x < 0.0f ? 0.0f : x;
  if constexpr (WHICH == kSilu) return x * logistic_of_power(static_cast<float>(-kLog2e) * x);
  const float square = x * x;
  float q;
  if constexpr (WHICH == kGeluTanh) {
    constexpr double kFactor = 1.5957691216057308;  // 2 sqrt(2 / pi)
    q = fmaf(square, static_cast<float>(-kLog2e * kFactor * 0.044715), static_cast<float>(-kLog2e * kFactor));
  } else {
    // log(Phi(x) / Phi(-x)) / x in powers of x^2, Phi the normal distribution: at most 0.7 2^-24 off where gelu is
    // granted 4 (the least maximum for |x| < 5.6, beyond which Phi is 0 or 1 for fp32).
    constexpr double kPhi[] = {1.595770276,     7.266490225e-2,  -6.397027478e-5, -1.110877061e-4,
                               8.012584944e-6, -2.709428024e-7, 3.688175552e-9};
    q = static_cast<float>(-kLog2e * kPhi[6]);
#pragma unroll
    for (int i = 5; i >= 0; --i) q = fmaf(q, square, static_cast<float>(-kLog2e * kPhi[i]));
  }
  return x * logistic_of_power(x * q);
}
