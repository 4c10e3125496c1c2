#pragma once
// What the Hopper rungs share: tiles of A (M x K) and B (K x N) as TMA brings them, the products of one stage, and
// where a tile of D lies. Defines wanted: BM, BN, BK; DTYPE is bf16_t or fp16_t.
#include "common/sm90/accumulator.cuh"
#include "common/tile_raster.cuh"
#include "common/sm90/wgmma.cuh"
#define WGMMA_INSTRUCTION_N BN
#include "common/sm90/wgmma_instruction.cuh"

using TileA = SmemTile<DTYPE, BM, BK, Major::K>;
using TileB = SmemTile<DTYPE, BN, BK, Major::MN>;
using Mma = Wgmma<DTYPE, BN, Major::K, Major::MN>;
constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;  // tile of A, tile of B

/// Accumulators of a warpgroup: Blocks x 64 rows, BN columns.
template <int Blocks>
using Accumulators = float[Blocks][BN / 2];

/// accumulators += A B for the k of the stage at that shared address, or = where `fresh`; of A, 64 Blocks rows from
/// `row` on. All threads of the warpgroup; issued, not awaited.
template <int Blocks>
__device__ __forceinline__ void multiply_stage(Accumulators<Blocks>& accumulators, unsigned stage, int row,
                                               bool fresh) {
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < TileA::kSteps; ++step)
#pragma unroll
    for (int i = 0; i < Blocks; ++i)
      Mma::mma(accumulators[i], TileA::describe(stage, row + i * 64, step),
               TileB::describe(stage + TileA::kBytes, 0, step), !fresh || step > 0);
  wgmma_commit();
}

/// First row and column of D of tile `tile`: GROUP rows of tiles together, column by column (tile_raster.cuh).
struct Origin {
  int m, n;
};
template <int Group>
__device__ __forceinline__ Origin tile_origin(int tile, int tiles_m, int tiles_n) {
  const TileCoordinate at = raster_groups<Group>(tile, tiles_m, tiles_n);
  return {at.row * BM, at.column * BN};
}

/// 64 rows of accumulators to D from the registers, number by number: four lanes write eight neighbours, 16 bytes of a
/// row.
__device__ __forceinline__ void write_from_registers(const float (&accumulators)[BN / 2], DTYPE* D, int m0, int n0,
                                                     int M, int N, float alpha) {
  const AccumulatorLayout at;
#pragma unroll
  for (int i = 0; i < BN / 2; ++i) {
    const int m = m0 + at.row(i), n = n0 + at.column(i);
    if (m < M && n < N) D[static_cast<long long>(m) * N + n] = from_float<DTYPE>(alpha * accumulators[i]);
  }
}
