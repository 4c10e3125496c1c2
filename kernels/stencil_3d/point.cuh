#pragma once
// The box, and what one point becomes.
#include "common/types.cuh"

struct Box {
  int D, M, N;
};
struct Neighbours {
  DTYPE left, right, above, below, before, behind;
};

__device__ __forceinline__ DTYPE step(DTYPE middle, const Neighbours& n, DTYPE centre, DTYPE side) {
  return centre * middle + side * (((n.left + n.right) + (n.above + n.below)) + (n.before + n.behind));
}

__device__ __forceinline__ long long place(const Box& box, int plane, int row, int column) {
  return (static_cast<long long>(plane) * box.M + row) * box.N + column;
}

/// An element, 0 beyond the faces.
__device__ __forceinline__ DTYPE element(const DTYPE* __restrict__ X, const Box& box, int plane, int row, int column) {
  const bool inside = plane >= 0 && plane < box.D && row >= 0 && row < box.M && column >= 0 && column < box.N;
  return inside ? X[place(box, plane, row, column)] : DTYPE(0);
}
