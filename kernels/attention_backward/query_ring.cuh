#pragma once
// The ring of tiles of queries that passes a block of 16 WARPS keys, by cp.async: Q, dO and the rows' sums, of one
// head after another.
#include "key_tile.cuh"
#include "tiles.cuh"

constexpr int kSumsBytes = TILE * static_cast<int>(sizeof(RowSums));
constexpr int kStageBytes = 2 * kTileBytes + kSumsBytes;  // { Q, dO: TILE rows each; their sums }
using KeysOfBlock = KeyTile<kRows, TILE>;

/// In shared memory behind the block's own K and V. All threads hold the same.
struct QueryRing {
  unsigned char* shared;
  const DTYPE *Q, *dO;
  const RowSums* sums;
  int heads, kv_heads, queries, depth;

  static __device__ __forceinline__ int offset(int t) { return 2 * kOwnBytes + t % STAGES * kStageBytes; }
  __device__ __forceinline__ unsigned queries_at(int t) const { return shared_address(shared) + offset(t); }
  __device__ __forceinline__ unsigned gradients_at(int t) const { return queries_at(t) + kTileBytes; }
  __device__ __forceinline__ RowSums* sums_at(int t) const {
    return reinterpret_cast<RowSums*>(shared + offset(t) + 2 * kTileBytes);
  }

  /// Tile t begins to move: a group of copies, empty beyond the last tile. Its sums are written, to be seen after the
  /// next barrier; queries that are not there have no weights.
  __device__ __forceinline__ void copy(const KeysOfBlock& keys, int t) const {
    if (t < keys.tiles) {
      const int h = keys.head(t, heads, kv_heads), first = keys.query(t);
      copy_tile<TILE>(queries_at(t), rows_of(Q, keys.b, h, heads, queries, depth), first, queries, depth);
      copy_tile<TILE>(gradients_at(t), rows_of(dO, keys.b, h, heads, queries, depth), first, queries, depth);
      const RowSums* from = sums + (static_cast<long long>(keys.b) * heads + h) * queries + first;
      for (int i = static_cast<int>(threadIdx.x); i < TILE; i += kThreads)
        sums_at(t)[i] = first + i < queries ? from[i] : RowSums{infinity(), 0.0f};
    }
    sm80::cp_async_commit();
  }
};
