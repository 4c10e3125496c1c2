#pragma once
// Where the elements of op(A), op(B) lie, and the last step D = alpha sum + beta C. Layouts are row-major; TRANS_A = 1
// means that A is stored K x M, TRANS_B = 1 that B is stored N x K. Offsets are 64-bit: M K may exceed 2^31.
#include "common/types.cuh"

__device__ __forceinline__ float a_at(const DTYPE* A, int m, int k, int M, int K) {
  return to_float(TRANS_A ? A[static_cast<long long>(k) * M + m] : A[static_cast<long long>(m) * K + k]);
}

__device__ __forceinline__ float b_at(const DTYPE* B, int k, int n, int N, int K) {
  return to_float(TRANS_B ? B[static_cast<long long>(n) * K + k] : B[static_cast<long long>(k) * N + n]);
}

/// C is not read when beta is 0: it may hold anything, NaN included.
__device__ __forceinline__ DTYPE finish(float sum, const DTYPE* C, long long offset, float alpha, float beta) {
  const float scaled = alpha * sum;
  return from_float<DTYPE>(beta == 0.0f ? scaled : scaled + beta * to_float(C[offset]));
}
