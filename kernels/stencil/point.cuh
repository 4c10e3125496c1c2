#pragma once
// What one point becomes.
#include "common/types.cuh"

__device__ __forceinline__ DTYPE step(DTYPE middle, DTYPE left, DTYPE right, DTYPE above, DTYPE below, DTYPE centre,
                                      DTYPE side) {
  return centre * middle + side * ((left + right) + (above + below));
}

/// An element, 0 beyond the edges.
__device__ __forceinline__ DTYPE element(const DTYPE* __restrict__ X, int M, int N, int row, int column) {
  return row < 0 || row >= M || column < 0 || column >= N ? DTYPE(0) : X[static_cast<long long>(row) * N + column];
}
