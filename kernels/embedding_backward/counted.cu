// Rung 2, counted: each row of dW knows how many tokens it has and where the first one stands.
//
// Idea      a launch over the tokens counts those of each row and finds its first one (integer atomics: the same result in
//           any order). Then a warp has some columns of a row: most rows have no token, and are written as zeros at once;
//           most others have one, whose place is known; for more the warp reads numbers on from the first, 32 IDS at a
//           time, until it has them all. dW is written once, dY read once, and sums are in the tokens' order: the same
//           bits every time.
// Parameters WARPS a block; VEC elements an access, 4 at most, so that those of dW are whole sectors; CHUNKS accesses of a
//           lane: a warp has 32 VEC CHUNKS columns; IDS numbers a lane compares at once; FLIGHT tokens whose rows are asked
//           for together.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); the rows of dY and dW may lie at a pitch.
// Gained    over atomics, 8192 tokens, 32000 x 1024, bf16 on emu:h200: 50.9 us modelled instead of 59.8 (the model knows
//           nothing of atomics that meet at one address), 1.00 of the least bytes, and a fixed order.
// Lacks     help for a row that very many tokens share (padding): D / (32 VEC CHUNKS) warps add it up alone.
#include "common/rows/row_chunk.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

/// Of a row of dW, 0 at first: how many tokens, and T less the place of the first one, which has the largest.
struct alignas(8) TokensOf {
  int count, first;
};

extern "C" __global__ void __launch_bounds__(256)
count_tokens(const int* __restrict__ ids, TokensOf* rows, int T) {
  const int token = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (token >= T) return;
  TokensOf& row = rows[ids[token]];
  atomicAdd(&row.count, 1);
  atomicMax(&row.first, T - token);
}

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

extern "C" __global__ void __launch_bounds__(32 * WARPS)
embedding_backward(const int* __restrict__ ids, const DTYPE* __restrict__ dY, float* __restrict__ dW,
                   const TokensOf* __restrict__ rows, int T, int V, int D, long long pitch_dy, long long pitch_dw) {
  Columns mine;
  mine.chunks = D / VEC;
  const unsigned across = static_cast<unsigned>((mine.chunks + 32 * CHUNKS - 1) / (32 * CHUNKS));
  const long long warp = static_cast<long long>(blockIdx.x) * WARPS + threadIdx.x / 32;
  const long long row = warp / across;
  if (row >= V) return;
  const int in_warp = static_cast<int>(threadIdx.x) % 32;
  mine.lane = static_cast<int>(warp - row * across) * 32 * CHUNKS + in_warp;

  const TokensOf tokens_of = rows[row];
  if (tokens_of.count > 0) {
    const long long begin = T - tokens_of.first;
    mine.add<1>(dY, pitch_dy, {begin});
    int left = tokens_of.count - 1;
    for (long long at = begin + 1; left > 0 && at < T; at += 32 * IDS) {
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
          mine.add(dY, pitch_dy, tokens);
        }
      }
    }
  }
  mine.store(dW + row * pitch_dw);
}
