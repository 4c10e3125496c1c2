#pragma once
// Which rows belong to which group, and where the elements of B lie. Offsets into B are 64-bit.
#include "gemm/element_types.cuh"

/// The group of row `row`: the last one that begins at or before it (those before it at the same place are empty).
__device__ __forceinline__ int group_of(const int* offsets, int groups, int row) {
  int first = 0, behind = groups;
  while (behind - first > 1) {
    const int middle = first + (behind - first) / 2;
    if (offsets[middle] <= row)
      first = middle;
    else
      behind = middle;
  }
  return first;
}

/// Element (k, n) of the matrix of group `g`. TRANS_B: stored N x K.
__device__ __forceinline__ DTYPE b_at(const DTYPE* B, int g, int k, int n, int N, int K) {
  const DTYPE* matrix = B + static_cast<long long>(g) * K * N;
  return TRANS_B ? matrix[static_cast<long long>(n) * K + k] : matrix[static_cast<long long>(k) * N + n];
}
