#pragma once
// The angle of a pair, computed: token * theta^(-2 pair / D), in turns, so that what is large of it goes away before it
// is rounded to what sin.approx takes. PTX ISA, sin, cos, ex2, lg2.
#include "common/types.cuh"

/// log2 of what a pair turns less than the pair before it.
__device__ __forceinline__ float step_of(int D, float theta) { return -2.0f * log2f(theta) / static_cast<float>(D); }

/// Turns a token of pair `pair`.
__device__ __forceinline__ float turns_of(float pair, float step) {
  float turns;
  asm("ex2.approx.f32 %0, %1;" : "=f"(turns) : "f"(fmaf(pair, step, -2.65149613f)));  // log2(1 / (2 pi))
  return turns;
}

/// Cosine and sine of `token` times so many turns.
__device__ __forceinline__ void angle_of(float token, float turns, float& c, float& s) {
  const float whole = rintf(-token * turns);
  const float angle = fmaf(token, turns, whole) * 6.28318531f;  // in [-pi, pi]: the product is not rounded
  asm("cos.approx.f32 %0, %1;" : "=f"(c) : "f"(angle));
  asm("sin.approx.f32 %0, %1;" : "=f"(s) : "f"(angle));
}
