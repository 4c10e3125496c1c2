#pragma once
// What a warpgroup of rung 3 has and does with it: 64 of the block's kKeys keys against tiles of BM queries, 64 at a
// time, which TMA has put into shared memory. Depths that are no multiple of 64 have panels that TMA fills up with
// zeros; products run over DEPTH.
#include "common/sm90/bulk_reduce.cuh"
#include "common/sm90/pipeline.cuh"
#include "common/sm90/warpgroup.cuh"
#include "common/sm90/wgmma.cuh"
#define WGMMA_INSTRUCTION_N 64
#include "common/sm90/wgmma_instruction.cuh"
#define WGMMA_INSTRUCTION_N DEPTH
#include "common/sm90/wgmma_instruction.cuh"
#define WGMMA_INSTRUCTION_N WIDE
#include "common/sm90/wgmma_instruction.cuh"
#include "gradient_rows.cuh"

constexpr int kKeys = 128;                  // of a block, 64 each of two warpgroups
// A tile of rows is an operand in two ways: multiplied along the depth, or along its rows. The bytes are the same.
using TileOfKeys = SmemTile<DTYPE, kKeys, kPanels * 64, Major::K>;
using KeysAcross = SmemTile<DTYPE, kPanels * 64, kKeys, Major::MN>;
using TileOfQueries = SmemTile<DTYPE, BM, kPanels * 64, Major::K>;
using QueriesAcross = SmemTile<DTYPE, kPanels * 64, BM, Major::MN>;
using TileOfDs =
    SmemTile<DTYPE, BM, kKeys, Major::MN>;  // a row of BM queries for each key, wanted with queries as rows
using Pairs = float[32];                    // of 64 keys, one a row, and 64 queries
using KeyRows = float[DEPTH / 2];           // of dK or dV: 64 keys
using Weights = unsigned[4][4];
// dQ of a tile is shared out: 64 queries each where there are 128, else columns.
constexpr bool kByColumns = BM == 64;
using QueryRows = float[WIDE / 2];
constexpr int kPartFloats = 64 * WIDE;  // of dQ, a warpgroup's part of a tile

/// pairs = keys queries^T, of 64 rows each from `key` and from `query` of their tiles on; issued and committed, not
/// awaited.
__device__ __forceinline__ void issue_pairs(Pairs& pairs, unsigned keys, int key, unsigned queries, int query) {
#pragma unroll
  for (int step = 0; step < DEPTH / 16; ++step)
    Wgmma<DTYPE, 64, Major::K, Major::K>::mma(pairs, TileOfKeys::describe(keys, key, step),
                                              TileOfQueries::describe(queries, query, step), step > 0);
  wgmma_commit();
}

/// sums += weights rows, where the weights have a key a row, and the tile a query: 64 of them, from `query` on.
__device__ __forceinline__ void issue_sums(KeyRows& sums, const Weights& weights, unsigned rows, int query) {
#pragma unroll
  for (int step = 0; step < 4; ++step)
    Wgmma<DTYPE, DEPTH, Major::K, Major::MN, ASource::Registers>::mma(
        sums, weights[step], QueriesAcross::describe(rows, 0, query / 16 + step), true);
  wgmma_commit();
}

/// dq = ds K over all keys of the block, of WIDE columns from `column` on of the 64 queries from row `first` of the
/// tile.
__device__ __forceinline__ void issue_queries(QueryRows& dq, unsigned ds, int first, unsigned keys, int column) {
#pragma unroll
  for (int step = 0; step < kKeys / 16; ++step)
    Wgmma<DTYPE, WIDE, Major::MN, Major::MN>::mma(dq, TileOfDs::describe(ds, first, step),
                                                  KeysAcross::describe(keys, column, step), step > 0);
  wgmma_commit();
}

__device__ __forceinline__ void pack_all(Weights& packed, const Pairs& pairs) {
#pragma unroll
  for (int step = 0; step < 4; ++step) pack_weights<DTYPE>(packed[step], pairs, step);
}

/// ds of the warpgroup's keys and 64 queries from `query` on to the block's tile, a key a row. To be seen by wgmma
/// after a fence and a barrier.
__device__ __forceinline__ void store_ds(unsigned tile, const Weights& ds, int query) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int key = static_cast<int>(threadIdx.x) / 32 * 16 + lane % 16;
#pragma unroll
  for (int step = 0; step < 4; ++step)
    stmatrix_x4(tile + TileOfDs::place(query + 16 * step + lane / 16 * 8, key), ds[step][0], ds[step][1], ds[step][2],
                ds[step][3]);
}

/// A warpgroup's part of dq to shared memory, in the order in which threads hold it: four floats a thread, then the
/// next four. round_queries knows the order, and no lane meets another's bank.
__device__ __forceinline__ void stage_queries(float4* stage, const QueryRows& dq) {
#pragma unroll
  for (int i = 0; i < WIDE / 8; ++i)
    stage[i * 128 + static_cast<int>(threadIdx.x) % 128] = {dq[4 * i], dq[4 * i + 1], dq[4 * i + 2], dq[4 * i + 3]};
}
