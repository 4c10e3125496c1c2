#pragma once
// What the warpgroups of rung 4 do with tiles in shared memory: a block's 64 keys against tiles of 64 queries. Depths
// that are no multiple of 64 have panels that TMA fills up with zeros; products run over DEPTH.
#include "common/sm90/pipeline.cuh"
#include "common/sm90/warpgroup.cuh"
#include "common/sm90/wgmma.cuh"
#define WGMMA_INSTRUCTION_N 64
#include "common/sm90/wgmma_instruction.cuh"
#define WGMMA_INSTRUCTION_N 128
#include "common/sm90/wgmma_instruction.cuh"
#define WGMMA_INSTRUCTION_N REST
#include "common/sm90/wgmma_instruction.cuh"
#define WGMMA_INSTRUCTION_N TAIL
#include "common/sm90/wgmma_instruction.cuh"
#include "gradient_rows.cuh"

// 64 rows of Q, K, V or dO are an operand in two ways: multiplied along the depth, or along the rows. The bytes are the
// same.
using TileOfRows = SmemTile<DTYPE, 64, kPanels * 64, Major::K>;
using RowsAcross = SmemTile<DTYPE, kPanels * 64, 64, Major::MN>;
using TileOfDs = SmemTile<DTYPE, 64, 64, Major::MN>;  // a row of 64 queries for each key, wanted with queries as rows
using Pairs = float[32];                              // of 64 keys, one a row, and 64 queries
/// Of dK or dV: 64 keys. In two parts: ptxas takes no instruction of more registers than a thread has at launch, 128.
struct KeyRows {
  float first[64] = {}, rest[REST / 2] = {};

  /// Number i of a thread, in the order of columns.
  __device__ __forceinline__ float operator[](int i) const { return i < 64 ? first[i] : rest[i - 64]; }
};
using Weights = unsigned[4][4];
static_assert(REST == DEPTH - 128 && REST > 0, "sums are columns 0 to 127 and the rest");

/// This thread's number in its warpgroup, asked for anew: what follows from it is then computed where it is needed.
/// Held in registers over the loop it would cost spills.
__device__ __forceinline__ int thread_again() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread % 128;
}

/// pairs = keys queries^T; issued and committed, not awaited.
__device__ __forceinline__ void issue_pairs(Pairs& pairs, unsigned keys, unsigned queries) {
  asm volatile("" : "+r"(keys));  // descriptors are computed here, not kept in registers over the loop
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < DEPTH / 16; ++step)
    Wgmma<DTYPE, 64, Major::K, Major::K>::mma(pairs, TileOfRows::describe(keys, 0, step),
                                              TileOfRows::describe(queries, 0, step), step > 0);
  wgmma_commit();
}

/// sums += weights rows, where the weights have a key a row, and the tile a query; issued and committed.
__device__ __forceinline__ void issue_sums(KeyRows& sums, const Weights& weights, unsigned rows) {
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    Wgmma<DTYPE, 128, Major::K, Major::MN, ASource::Registers>::mma(sums.first, weights[step],
                                                                    RowsAcross::describe(rows, 0, step), true);
    Wgmma<DTYPE, REST, Major::K, Major::MN, ASource::Registers>::mma(sums.rest, weights[step],
                                                                     RowsAcross::describe(rows, 128, step), true);
  }
  wgmma_commit();
}

/// dq = ds K of Width columns from Column on, a query a row; awaited.
template <int Column, int Width>
__device__ __forceinline__ void multiply_ds(float (&dq)[Width / 2], unsigned ds, unsigned keys) {
  asm volatile("" : "+r"(keys));
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step)
    Wgmma<DTYPE, Width, Major::MN, Major::MN>::mma(dq, TileOfDs::describe(ds, 0, step),
                                                   RowsAcross::describe(keys, Column, step), step > 0);
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_settle(dq);
}

/// dq, from column Column on, is added to a tile's sums: four floats a thread, then the next four, in the order in
/// which threads hold them, so that a warp's 512 bytes are one run. Atomic for each float, in any order.
template <int Column, int Width>
__device__ __forceinline__ void add_queries(float4* sums, const float (&dq)[Width / 2]) {
#pragma unroll
  for (int i = 0; i < Width / 8; ++i)
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(sums + (Column / 8 + i) * 128), "f"(dq[4 * i]),
                 "f"(dq[4 * i + 1]), "f"(dq[4 * i + 2]), "f"(dq[4 * i + 3])
                 : "memory");
}

__device__ __forceinline__ void pack_all(Weights& packed, const Pairs& pairs) {
#pragma unroll
  for (int step = 0; step < 4; ++step) pack_weights<DTYPE>(packed[step], pairs, step);
}

/// ds to the block's tile, a key a row. To be seen by wgmma after a fence and a barrier.
__device__ __forceinline__ void store_ds(unsigned tile, const Weights& ds) {
  const int thread = thread_again(), lane = thread % 32;
  const int key = thread / 32 * 16 + lane % 16;
#pragma unroll
  for (int step = 0; step < 4; ++step)
    stmatrix_x4(tile + TileOfDs::place(16 * step + lane / 16 * 8, key), ds[step][0], ds[step][1], ds[step][2],
                ds[step][3]);
}

/// Weights from one warpgroup to another, which holds the same pairs in the same threads.
__device__ __forceinline__ void hand_over(float4* weights, const Pairs& p) {
  weights += thread_again();
#pragma unroll
  for (int i = 0; i < 8; ++i) weights[i * 128] = {p[4 * i], p[4 * i + 1], p[4 * i + 2], p[4 * i + 3]};
}
/// ds of products dO v, and of the weights that were handed over: four at a time, since there are no registers for all
/// of them. Pairs that do not count are still to be cleared.
__device__ __forceinline__ void differentiate(Pairs& ds, const float4* weights, const RowSums* sums) {
  const int thread = thread_again();
  weights += thread;
  sums += thread % 4 * 2;
#pragma unroll
  for (int i = 0; i < 32; i += 4) {
    const float4 p = weights[i / 4 * 128];
    const float delta[2] = {sums[i / 4 * 8].delta, sums[i / 4 * 8 + 1].delta};
    ds[i] = p.x * (ds[i] - delta[0]);
    ds[i + 1] = p.y * (ds[i + 1] - delta[1]);
    ds[i + 2] = p.z * (ds[i + 2] - delta[0]);
    ds[i + 3] = p.w * (ds[i + 3] - delta[1]);
  }
}

/// A query that does not see a key, or is not there, has no ds, whatever their rows hold (0 times infinity is NaN).
__device__ __forceinline__ void clear_unseen(Pairs& ds, const PairsOfWarp<64>& pairs) {
  if (!pairs.edge) return;
  const int lane = thread_again() % 32;
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    const int query = pairs.query + lane % 4 * 2 + i / 4 * 8 + i % 2, key = pairs.key + lane / 4 + i / 2 % 2 * 8;
    const int visible = visible_keys(query, pairs.queries, pairs.keys);
    if (query >= pairs.queries || key >= visible || (WINDOW > 0 && key < first_visible(visible))) ds[i] = 0.0f;
  }
}
