#pragma once
// A block of 16 WARPS keys of a head of keys, and the tiles of queries that see some of them, of every head that shares
// the keys: which tile is which, and its way to shared memory.
#include "tiles.cuh"

constexpr int kSumsBytes = TILE * static_cast<int>(sizeof(RowSums));
constexpr int kStageBytes = 2 * kTileBytes + kSumsBytes;  // { Q, dO: TILE rows each; their sums }

struct QueryRows {
  HeadRows<const DTYPE> q, g;
  const RowSums* sums;
};

/// Under the causal mask blocks of the first keys, which most queries see, come first.
struct KeyTile {
  int b, kv_head, first;  // the first key
  int each, begin;        // tiles of a head's queries, from query `begin` on
  int tiles;              // of all heads

  __device__ __forceinline__ KeyTile(int block, int heads, int kv_heads, int queries, int keys) {
    const int blocks = (keys - 1) / kRows + 1, z = block / blocks;
    b = z / kv_heads, kv_head = z % kv_heads, first = block % blocks * kRows;
    begin = first_seeing(first, queries, keys) / TILE * TILE;
    const int end = end_seeing(first + kRows - 1, queries, keys);
    each = begin < end ? (end - begin + TILE - 1) / TILE : 0;
    tiles = each * (heads / kv_heads);
  }
  /// Of tile t: its head of queries, its first query.
  __device__ __forceinline__ int head(int t, int heads, int kv_heads) const {
    return kv_head * (heads / kv_heads) + t / each;
  }
  __device__ __forceinline__ int query(int t) const { return begin + t % each * TILE; }
};

/// Rows first .. first + TILE - 1 of Q and dO begin to move to a stage; their sums are written to it, to be seen after
/// the next barrier. Queries that are not there have no weights.
__device__ __forceinline__ void copy_queries(unsigned char* shared, unsigned offset, const QueryRows& from, int first,
                                             int queries, int depth) {
  const unsigned stage = shared_address(shared) + offset;
  copy_tile<TILE>(stage, from.q, first, queries, depth);
  copy_tile<TILE>(stage + kTileBytes, from.g, first, queries, depth);
  RowSums* sums = reinterpret_cast<RowSums*>(shared + offset + 2 * kTileBytes);
  for (int i = static_cast<int>(threadIdx.x); i < TILE; i += kThreads)
    sums[i] = first + i < queries ? from.sums[first + i] : RowSums{infinity(), 0.0f};
}

/// From scores (s) and products dO v (ds) of the warp's keys, one a row, and the tile's queries, one a column, to
/// weights and ds. A key and a query that does not see it, or is not there, have neither, whatever their rows hold.
__device__ __forceinline__ void weigh(float (&s)[TILE / 2], float (&ds)[TILE / 2], const RowSums* sums, float to_log2,
                                      int key, int query, int queries, int keys) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  // The tile's first query sees the fewest keys.
  const bool edge = query + TILE > queries || key + 15 >= visible_keys(query, queries, keys) ||
                    (WINDOW > 0 && key < first_visible(visible_keys(query + TILE - 1, queries, keys)));
#pragma unroll
  for (int e = 0; e < TILE / 2; ++e) {
    const int i = query + e / 4 * 8 + lane % 4 * 2 + e % 2, j = key + lane / 4 + e / 2 % 2 * 8;
    const RowSums row = sums[i - query];
    const bool unseen = edge && (i >= queries || j >= visible_keys(i, queries, keys) ||
                                 (WINDOW > 0 && j < first_visible(visible_keys(i, queries, keys))));
    s[e] = unseen ? 0.0f : exp2_fast(fmaf(s[e], to_log2, -row.base));
    ds[e] = unseen ? 0.0f : s[e] * (ds[e] - row.delta);
  }
}
