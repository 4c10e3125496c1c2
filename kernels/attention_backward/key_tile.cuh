#pragma once
// A block of keys of one head of keys, and the tiles of queries that see some of them, of every head that shares the
// keys: which tile is which, and which of its pairs count.
#include "row_sums.cuh"

/// Rows keys, tiles of Tile queries. Under the causal mask blocks of the first keys, which most queries see, come
/// first.
template <int Rows, int Tile>
struct KeyTile {
  int b, kv_head, first;  // the first key
  int each, begin;        // tiles of a head's queries, from query `begin` on
  int tiles;              // of all heads

  __device__ __forceinline__ KeyTile(int block, int heads, int kv_heads, int queries, int keys) {
    const int blocks = (keys - 1) / Rows + 1, z = block / blocks;
    b = z / kv_heads, kv_head = z % kv_heads, first = block % blocks * Rows;
    begin = first_seeing(first, queries, keys) / Tile * Tile;
    const int end = end_seeing(first + Rows - 1, queries, keys);
    each = begin < end ? (end - begin + Tile - 1) / Tile : 0;
    tiles = each * (heads / kv_heads);
  }
  /// Of tile t: its head of queries, its first query.
  __device__ __forceinline__ int head(int t, int heads, int kv_heads) const {
    return kv_head * (heads / kv_heads) + t / each;
  }
  __device__ __forceinline__ int query(int t) const { return begin + t % each * Tile; }
};

/// The tiles of queries of a KeyTile one after another, without a division for each.
template <int Tile>
struct QueryWalk {
  int head, query, begin, end;  // the first query of a tile; of a head's tiles

  template <int Rows>
  __device__ __forceinline__ QueryWalk(const KeyTile<Rows, Tile>& keys, int heads, int kv_heads)
      : head(keys.kv_head * (heads / kv_heads)),
        query(keys.begin),
        begin(keys.begin),
        end(keys.begin + keys.each * Tile) {}
  __device__ __forceinline__ void advance() {
    query += Tile;
    if (query < end) return;
    query = begin;
    ++head;
  }
};

/// The pairs of a warp's 16 keys, from `key` on, and a tile's queries, from `query` on: a lane has of the 16 x Tile
/// what mma and wgmma leave it of an accumulator, a key a row. A key and a query that does not see it, or is not there,
/// have neither weight nor ds, whatever their rows hold.
template <int Tile>
struct PairsOfWarp {
  int key, query, queries, keys;
  bool edge;  // some of the pairs do not count

  __device__ __forceinline__ PairsOfWarp(int of_key, int of_query, int all_queries, int all_keys)
      : key(of_key), query(of_query), queries(all_queries), keys(all_keys) {
    // The tile's first query sees the fewest keys.
    edge = query + Tile > queries || key + 15 >= visible_keys(query, queries, keys) ||
           (WINDOW > 0 && key < first_visible(visible_keys(query + Tile - 1, queries, keys)));
  }

  /// Scores, unscaled, become weights, and products dO v become ds.
  __device__ __forceinline__ void weigh(float (&s)[Tile / 2], float (&ds)[Tile / 2], const RowSums* sums,
                                        float to_log2) const {
#pragma unroll
    for (int e = 0; e < Tile / 2; ++e) {
      const RowSums row = sums[column(e)];
      s[e] = exp2_fast(fmaf(s[e], to_log2, -row.base));
      ds[e] = s[e] * (ds[e] - row.delta);
    }
    if (!edge) return;
    clear_unseen(s);
    clear_unseen(ds);
  }
  /// The same in two steps, where one product is there before the other: the weights,
  __device__ __forceinline__ void weigh(float (&s)[Tile / 2], const RowSums* sums, float to_log2) const {
#pragma unroll
    for (int e = 0; e < Tile / 2; ++e) s[e] = exp2_fast(fmaf(s[e], to_log2, -sums[column(e)].base));
    if (edge) clear_unseen(s);
  }
  /// then ds.
  __device__ __forceinline__ void differentiate(float (&ds)[Tile / 2], const float (&p)[Tile / 2],
                                                const RowSums* sums) const {
#pragma unroll
    for (int e = 0; e < Tile / 2; ++e) ds[e] = p[e] * (ds[e] - sums[column(e)].delta);
    if (edge) clear_unseen(ds);
  }

 private:
  static __device__ __forceinline__ int column(int e) {
    return e / 4 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + e % 2;
  }
  __device__ __forceinline__ void clear_unseen(float (&x)[Tile / 2]) const {
#pragma unroll
    for (int e = 0; e < Tile / 2; ++e) {
      const int i = query + column(e), j = key + static_cast<int>(threadIdx.x) % 32 / 4 + e / 2 % 2 * 8;
      const int visible = visible_keys(i, queries, keys);
      if (i >= queries || j >= visible || (WINDOW > 0 && j < first_visible(visible))) x[e] = 0.0f;
    }
  }
};
