// Rung 1, mma: tensor cores. A launch for dQ, tiles of keys for a block of queries; one for dK and dV, tiles of queries
// for a block of keys.
//
// Idea      * dQ (query_gradients.cuh) is the forward pass with a third product: s = q K^T and dO V^T stand in the
//             accumulators of a warp's 16 queries, ds is made of them in registers and is the left operand of ds K.
//           * dK and dV are sums over queries, so a block has keys and the products are transposed: K Q^T and V dO^T of
//             a warp's 16 keys. Weights and ds then have a key a row, which is just what P^T dO and dS^T Q want as
//             their left operand: again nothing leaves the registers.
//           * all heads of queries that share the keys are one loop: their sums meet in the accumulators.
//           * tiles are a ring of STAGES, filled by cp.async, swizzled; a query's base and delta lie beside its rows.
//           * beyond depth 128 the accumulators of dK and dV no longer fit in registers together: APART, a block each.
// Parameters WARPS, 16 rows each; TILE, rows a tile; STAGES.
// Expects   bf16 or fp16; depth a multiple of 8. Any queries and keys: what hangs over is 0, and masked.
// Operations seven products (three and four), where five are needed: scores and dO V^T are made twice, the price of
// sums
//           that nobody else adds to and that come out the same each time. Eight where APART.
// Counted   512 x 512, depth 128, bf16, one head, on emu:h200: 5,031,936 bytes loaded, 397,312 stored, 469,762,048
// FLOPs on
//           tensor cores (1.4 of five products), no bank conflicts, nothing spilled: as predicted.
// Lacks     those two products: rung 2. wgmma.
#include "key_sums.cuh"
#include "query_ring.cuh"
#include "query_gradients.cuh"

extern "C" __global__ void __launch_bounds__(kThreads)
    key_gradients(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
                  const DTYPE* __restrict__ dO, const RowSums* __restrict__ sums, DTYPE* __restrict__ dK,
                  DTYPE* __restrict__ dV, int heads, int kv_heads, int queries, int keys, int depth) {
  const KeysOfBlock tile(static_cast<int>(blockIdx.x), heads, kv_heads, queries, keys);
  const QueryRing ring = {shared, Q, dO, sums, heads, kv_heads, queries, depth};
  const unsigned tile_k = shared_address(shared), tile_v = tile_k + kOwnBytes;
  copy_tile<kRows>(tile_k, rows_of(K, tile.b, tile.kv_head, kv_heads, keys, depth), tile.first, keys, depth);
  copy_tile<kRows>(tile_v, rows_of(V, tile.b, tile.kv_head, kv_heads, keys, depth), tile.first, keys, depth);
  for (int t = 0; t < STAGES - 1; ++t) ring.copy(tile, t);

  const float to_log2 = log2_scale(depth);
  const int own = tile.first + static_cast<int>(threadIdx.x) / 32 * 16;  // the warp's first key
  KeySums<APART> of_keys;
#pragma unroll 1
  for (int t = 0; t < tile.tiles; ++t) {
    sm80::cp_async_wait<STAGES - 2>();
    __syncthreads();  // tile t is there for all, and all are done with tile t - 1
    ring.copy(tile, t + STAGES - 1);
    float p[TILE / 2] = {}, ds[TILE / 2] = {};  // p begins as K Q^T, ds as V dO^T
    two_products<TILE>(p, ds, tile_k, ring.queries_at(t), tile_v, ring.gradients_at(t));
    const PairsOfWarp<TILE> pairs(own, tile.query(t), queries, keys);
    pairs.weigh(p, ds, ring.sums_at(t), to_log2);
    of_keys.add(p, ds, ring.queries_at(t), ring.gradients_at(t));
  }
  of_keys.write(rows_of(dK, tile.b, tile.kv_head, kv_heads, keys, depth),
                rows_of(dV, tile.b, tile.kv_head, kv_heads, keys, depth), to_log2 / kLog2e, own, keys, depth);
}
