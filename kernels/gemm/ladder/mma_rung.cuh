#pragma once
// What the mma.sync rungs share: tiles of A (M x K) and B (K x N) as cp.async brings them, the products of a warp, and
// its accumulators to D. Defines wanted: BM, BN, BK, WM, WN, STAGES, THREADS; DTYPE is bf16_t, fp16_t or tf32_t.
#include "common/sm80/epilogue_tile.cuh"

using TileA = sm80::OperandTile<DTYPE, BM, BK, true, true, THREADS>;
using TileB = sm80::OperandTile<DTYPE, BN, BK, false, false, THREADS>;
using Loop = sm80::Mainloop<TileA, TileB, WM, WN, STAGES>;

/// First row and column of D of the tile of this block.
struct Origin {
  int m, n;
  __device__ __forceinline__ explicit Origin(int N) {
    const int tiles_n = (N - 1) / BN + 1;
    m = static_cast<int>(blockIdx.x) / tiles_n * BM;
    n = static_cast<int>(blockIdx.x) % tiles_n * BN;
  }
};

/// A warp's accumulators to D, four neighbours at a time; N is a multiple of 4. `shared`: the epilogue tiles.
__device__ __forceinline__ void write_warp(const Loop::Accumulators& accumulators, const Loop::Warp& warp,
                                           float4* shared, const Origin& at, DTYPE* D, int M, int N, float alpha) {
  using Four = Vector<DTYPE, 4>;
  sm80::EpilogueTile<Loop, WN, false, false>::store<true>(
      accumulators, shared, at.m + warp.m, at.n + warp.n, M, N, [&](int m, int n, const Vector<float, 4>& four) {
        Four d;
#pragma unroll
        for (int e = 0; e < 4; ++e) d.at[e] = from_float<DTYPE>(alpha * four.at[e]);
        *reinterpret_cast<Four*>(D + static_cast<long long>(m) * N + n) = d;
      });
}
