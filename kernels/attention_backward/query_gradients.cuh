#pragma once
// dQ by a launch of its own: a block has 16 WARPS queries and goes over the keys that they see.
#include "attention/query_tile.cuh"
#include "tiles.cuh"

/// { Q, dO: kRows rows each }, then STAGES x { K, V: TILE rows each }.
extern __shared__ __align__(128) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(kThreads)
    query_gradients(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
                    const DTYPE* __restrict__ dO, const RowSums* __restrict__ sums, DTYPE* __restrict__ dQ, int heads,
                    int kv_heads, int queries, int keys, int depth) {
  const QueryTile tile(static_cast<int>(blockIdx.x), kRows, heads, kv_heads, queries);
  const HeadRows<const DTYPE> k = rows_of(K, tile.b, tile.kv_head, kv_heads, keys, depth);
  const HeadRows<const DTYPE> v = rows_of(V, tile.b, tile.kv_head, kv_heads, keys, depth);
  const unsigned tile_q = shared_address(shared), tile_g = tile_q + kOwnBytes, stages = tile_g + kOwnBytes;
  const int last = tile.first + kRows < queries ? tile.first + kRows - 1 : queries - 1;
  const int tiles = (visible_keys(last, queries, keys) + TILE - 1) / TILE;
  const int begin_tile = first_visible(visible_keys(tile.first, queries, keys)) / TILE;
  const auto copy_stage = [&](int j) {  // a group of copies, empty beyond the last tile
    if (j < tiles) {
      const unsigned stage = stages + j % STAGES * 2 * kTileBytes;
      copy_tile<TILE>(stage, k, j * TILE, keys, depth);
      copy_tile<TILE>(stage + kTileBytes, v, j * TILE, keys, depth);
    }
    sm80::cp_async_commit();
  };
  copy_tile<kRows>(tile_q, rows_of(Q, tile.b, tile.head, heads, queries, depth), tile.first, queries, depth);
  copy_tile<kRows>(tile_g, rows_of(dO, tile.b, tile.head, heads, queries, depth), tile.first, queries, depth);
  for (int j = 0; j < STAGES - 1; ++j) copy_stage(begin_tile + j);

  const int lane = static_cast<int>(threadIdx.x) % 32, own = tile.first + static_cast<int>(threadIdx.x) / 32 * 16;
  const float to_log2 = log2_scale(depth);
  const int least = visible_keys(own, queries, keys);  // the warp's first query sees the fewest keys
  const int latest = first_visible(visible_keys(own + 15, queries, keys));  // and the last one's window begins last
  int visible[2];
  RowSums row[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int i = own + lane / 4 + 8 * r;
    visible[r] = visible_keys(i, queries, keys);
    row[r] = {infinity(), 0.0f};
    if (i < queries) row[r] = sums[(static_cast<long long>(tile.b) * heads + tile.head) * queries + i];
  }

  float dq[kOutputs] = {};
#pragma unroll 1
  for (int j = begin_tile; j < tiles; ++j) {
    sm80::cp_async_wait<STAGES - 2>();
    __syncthreads();  // tile j is there for all, and all are done with tile j - 1
    copy_stage(j + STAGES - 1);
    const unsigned stage = stages + j % STAGES * 2 * kTileBytes;
    float s[TILE / 2] = {}, ds[TILE / 2] = {};  // ds begins as dO V^T
    two_products<TILE>(s, ds, tile_q, stage, tile_g, stage + kTileBytes);
    const bool edge = (j + 1) * TILE > least, begins = WINDOW > 0 && j * TILE < latest;
#pragma unroll
    for (int e = 0; e < TILE / 2; ++e) {
      const RowSums& of_row = row[e / 2 % 2];
      const float weighed = exp2_fast(fmaf(s[e], to_log2, -of_row.base)) * (ds[e] - of_row.delta);
      const int key = j * TILE + e / 4 * 8 + lane % 4 * 2 + e % 2, end = visible[e / 2 % 2];
      ds[e] = (edge && key >= end) || (begins && key < first_visible(end)) ? 0.0f : weighed;
    }
    multiply_values<Place, TILE>(dq, ds, stage);
  }
  write_sums(dq, to_log2 / kLog2e, rows_of(dQ, tile.b, tile.head, heads, queries, depth), own, queries, depth);
}
