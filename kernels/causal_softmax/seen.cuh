#pragma once
// What a row sees, in chunks. The includer defines VEC.
#include "common/rows/row_chunk.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

/// Columns 0 .. seen - 1; at most N, and none where M > N has rows that see nothing.
__device__ __forceinline__ int seen_by(int row, int M, int N) {
  const int seen = static_cast<int>(static_cast<unsigned>(row) % static_cast<unsigned>(M)) + 1 + N - M;
  return seen < 0 ? 0 : seen;
}

/// What chunk number `at` holds beyond the diagonal becomes -infinity: it is neither the largest, nor adds to a sum.
__device__ __forceinline__ void mask(Chunk& chunk, int at, int seen) {
  if ((at + 1) * VEC <= seen) return;
  float values[VEC];
  chunk.each([&](int e, float value) { values[e] = value; });
  chunk.set([&](int e) { return at * VEC + e < seen ? values[e] : -infinity(); });
}

/// The result of a chunk that is seen at least in part. 0 beyond the diagonal, even where the row is NaN.
__device__ __forceinline__ Chunk weights_of(const Chunk& chunk, int at, int seen, float largest, float factor) {
  float weights[VEC];
  chunk.each([&](int e, float value) { weights[e] = exp_below(value, largest) * factor; });
  Chunk result;
  if ((at + 1) * VEC <= seen) result.set([&](int e) { return weights[e]; });
  else result.set([&](int e) { return at * VEC + e < seen ? weights[e] : 0.0f; });
  return result;
}
