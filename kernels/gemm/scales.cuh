#pragma once
// What fp8 operands and D are multiplied by (flag `scales`, scalar `scale_d`). SCALES: 0 nothing; 1 a number for each
// row of A and column of B, applied to the accumulators; 2 a number for each 128 k of a row of A, and for each 128 k of
// 128 columns of B, applied to the products. SCALED: kernels take these arguments at all.
#include "element_types.cuh"

struct Scales {
  static constexpr int kBlock = 128;  // k, and columns of B
  const float* a = nullptr;
  const float* b = nullptr;
  float d = 1.0f;

  static __device__ __forceinline__ int blocks(int K) { return SCALES == 2 ? (K - 1) / kBlock + 1 : 1; }
  /// Those of one of `batch` products. K: only where SCALES is 2.
  __device__ __forceinline__ Scales of(long long batch, int M, int N, int K) const {
    if constexpr (SCALES == 0) return *this;
    const int columns = SCALES == 2 ? (N - 1) / kBlock + 1 : N;
    return {a + batch * M * blocks(K), b + batch * columns * blocks(K), d};
  }
  /// Of the sum at (m, n), which may lie beyond an edge.
  __device__ __forceinline__ Accumulator of_accumulator(int m, int n, int M, int N) const {
    if constexpr (SCALES == 1) return a[m < M ? m : M - 1] * b[n < N ? n : N - 1];
    return Accumulator(1);
  }
  /// Of a(m, k) and b(k, n).
  __device__ __forceinline__ Accumulator of_a(int m, int k, int K) const {
    if constexpr (SCALES == 2) return a[static_cast<long long>(m) * blocks(K) + k / kBlock];
    return Accumulator(1);
  }
  __device__ __forceinline__ Accumulator of_b(int k, int n, int K) const {
    if constexpr (SCALES == 2) return b[static_cast<long long>(n / kBlock) * blocks(K) + k / kBlock];
    return Accumulator(1);
  }
};

// The end of a kernel's parameters, and what they make.
#if SCALED
#define SCALE_PARAMETERS , const float* __restrict__ scale_a, const float* __restrict__ scale_b, float scale_d
#define GIVEN_SCALES          \
  Scales {                    \
    scale_a, scale_b, scale_d \
  }
#define UNLESS_SCALED
#else
#define SCALE_PARAMETERS
#define GIVEN_SCALES \
  Scales {}
#define UNLESS_SCALED = {}
#endif
