#pragma once
// The residual takes in x, a chunk at a time. Chunks come by value:
// through a reference into memory each of their registers would be a load of its own.
#include "common/rows/row_chunk.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

/// `residual` becomes what is written of residual + x, each sum rounded once; returns the sum of the squares of that.
__device__ __forceinline__ float take_in(Chunk& residual, Chunk x) {
  float sums[VEC], squares = 0.0f;
  x.each([&](int e, float value) { sums[e] = value; });
  residual.each([&](int e, float value) { sums[e] += value; });
  residual.set([&](int e) { return sums[e]; });
  residual.each([&](int, float value) { squares += value * value; });
  return squares;
}
