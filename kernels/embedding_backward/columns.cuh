#pragma once
// A warp's share of a row of dW, and the search for its tokens.
#include "common/rows/row_chunk.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

/// A lane's columns of a row.
struct Columns {
  float sum[CHUNKS][VEC] = {};
  int lane, chunks;  ///< first chunk of this lane, and how many the row has

  /// Adds the rows of `tokens`, those of them that are not negative, in their order.
  template <int Count>
  __device__ __forceinline__ void add(const DTYPE* dY, long long pitch, const long long (&tokens)[Count]) {
    Chunk held[Count][CHUNKS];
#pragma unroll
    for (int f = 0; f < Count; ++f)
#pragma unroll
      for (int c = 0; c < CHUNKS; ++c)
        if (tokens[f] >= 0 && lane + 32 * c < chunks)
          held[f][c] = reinterpret_cast<const Chunk*>(dY + tokens[f] * pitch)[lane + 32 * c];
#pragma unroll
    for (int f = 0; f < Count; ++f)
#pragma unroll
      for (int c = 0; c < CHUNKS; ++c)
        if (tokens[f] >= 0 && lane + 32 * c < chunks)
          held[f][c].each([&](int e, float value) { sum[c][e] += value; });
  }

  __device__ __forceinline__ void store(float* row) const {
#pragma unroll
    for (int c = 0; c < CHUNKS; ++c) {
      if (lane + 32 * c >= chunks) continue;
      RowChunk<float, VEC> out;
      out.set([&](int e) { return sum[c][e]; });
      reinterpret_cast<RowChunk<float, VEC>*>(row)[lane + 32 * c] = out;
    }
  }
};

/// Adds the row's tokens from `at` on, of which there are `left`: 32 IDS numbers are compared at a time. All lanes of the
/// warp call it.
__device__ __forceinline__ void add_from(long long at, int left, const int* ids, long long row, int T, const DTYPE* dY,
                                         long long pitch, Columns& mine) {
  const int in_warp = static_cast<int>(threadIdx.x) % 32;
  for (; left > 0 && at < T; at += 32 * IDS) {
    unsigned found[IDS];
#pragma unroll
    for (int k = 0; k < IDS; ++k) {
      const long long token = at + 32 * k + in_warp;
      found[k] = __ballot_sync(0xffffffffU, token < T && ids[token < T ? token : 0] == row);
    }
#pragma unroll
    for (int k = 0; k < IDS; ++k) {
      left -= __popc(found[k]);
      while (found[k] != 0) {
        long long tokens[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; ++f) {
          tokens[f] = found[k] != 0 ? at + 32 * k + __ffs(static_cast<int>(found[k])) - 1 : -1;
          found[k] &= found[k] - 1;
        }
        mine.add(dY, pitch, tokens);
      }
    }
  }
}

/// Which row of dW a warp has, and which of its columns.
__device__ __forceinline__ long long row_of_warp(int D, Columns& mine) {
  mine.chunks = D / VEC;
  const unsigned across = static_cast<unsigned>((mine.chunks + 32 * CHUNKS - 1) / (32 * CHUNKS));
  const long long warp = static_cast<long long>(blockIdx.x) * WARPS + threadIdx.x / 32;
  const long long row = warp / across;
  mine.lane = static_cast<int>(warp - row * across) * 32 * CHUNKS + static_cast<int>(threadIdx.x) % 32;
  return row;
}
