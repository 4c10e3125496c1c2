#pragma once
// Where the elements of op(A) and op(B) lie. Layouts are row-major; TRANS_A = 1 means that A is stored K x M, TRANS_B =
// 1 that B is stored N x K. Offsets are 64-bit: M K may exceed 2^31.
#include "gemm/epilogue.cuh"

__device__ __forceinline__ Accumulator a_at(const DTYPE* A, int m, int k, int M, int K) {
  return to_accumulator(TRANS_A ? A[static_cast<long long>(k) * M + m] : A[static_cast<long long>(m) * K + k]);
}

__device__ __forceinline__ Accumulator b_at(const DTYPE* B, int k, int n, int N, int K) {
  return to_accumulator(TRANS_B ? B[static_cast<long long>(n) * K + k] : B[static_cast<long long>(k) * N + n]);
}
