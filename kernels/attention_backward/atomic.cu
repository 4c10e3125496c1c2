// Rung 2, atomic: all three in one launch, five products: dQ is added up by atomics.
//
// Idea      * the block of keys of rung 1 has ds in registers; dQ of the tile's queries is ds K, a sum over the keys of
//             the block, of which every other block of keys has a part. So it is added to fp32 numbers in memory, and
//             a last launch rounds them: scores and dO V^T are made once, as the paper counts.
//           * ds has a key a row where dS K wants a query a row: each warp lays its 16 keys' ds in shared memory and
//             reads all keys of the block back, transposed by ldmatrix. 16 queries and a share
//             of the columns a warp.
// Parameters WARPS, 16 keys each; TILE, queries a tile; STAGES.
// Expects   bf16 or fp16; depth a multiple of 8, at most 160.
// Operations 10 queries keys depth FLOPs of tensor cores; queries depth atomics for each block of keys: with 64 keys a
//           block one for every 10 x 64 FLOPs.
// Counted   512 x 512, depth 128, bf16, one head, on emu:h200: 335,544,320 FLOPs on tensor cores, as five products
//           are; 524,288 atomics; 64,128 requests to shared memory (mma: 87,168), no bank conflicts: as predicted.
// Lacks     registers: at depth 128 and TILE 32, 32 bytes a thread are spilled; TILE 16 spills none, and is
//           slower as modelled. Order: atomics add up in any, so that dQ differs between runs in its last bits. wgmma,
//           and tiles of dQ that bulk reduce copies add up: rung 3.
#include "key_sums.cuh"
#include "query_ring.cuh"

/// { K, V: kRows rows each }, STAGES x a stage, then ds: a row of TILE queries for each of kRows keys.
extern __shared__ __align__(128) unsigned char shared[];

using PlaceOfDs = sm80::Swizzle<TILE * DTYPE_BYTES>;
constexpr int kGroups = TILE / 16;                             // of 16 queries, which warps take in rotation
constexpr int kShares = WARPS / kGroups;                       // warps that share the columns of a group
constexpr int kSteps = (kDepthSteps + kShares - 1) / kShares;  // of 16 columns, a warp's
static_assert(WARPS % kGroups == 0, "warps share the groups of queries evenly");

/// The warp's ds, rounded, a key a row.
__device__ __forceinline__ void store_ds(unsigned char* tile, const float (&ds)[TILE / 2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, key = static_cast<int>(threadIdx.x) / 32 * 16 + lane / 4;
#pragma unroll
  for (int e = 0; e < TILE / 2; e += 2)
    *reinterpret_cast<unsigned*>(tile + PlaceOfDs::offset(key + e / 2 % 2 * 8, e / 4) + lane % 4 * 4) =
        pack_pair<DTYPE>(ds[e], ds[e + 1]);
}

/// Adds ds K of the block's keys to the tile's queries, in fp32 and not scaled.
__device__ __forceinline__ void add_queries(HeadRows<float> to, unsigned tile_ds, unsigned tile_k, int first,
                                            int queries, int depth) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int group = warp % kGroups, share = warp / kGroups;
  float dq[8 * kSteps] = {};
#pragma unroll
  for (int j = 0; j < WARPS; ++j) {
    unsigned ds[4];
    sm80::ldmatrix_x4_trans(ds,
                            tile_ds + PlaceOfDs::offset(16 * j + lane / 16 * 8 + lane % 8, 2 * group + lane / 8 % 2));
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const int d = share * kSteps + step;
      if (d >= kDepthSteps) break;
      unsigned k[4];
      sm80::ldmatrix_x4_trans(k, tile_k + Place::offset(16 * j + lane % 16, 2 * d + lane / 16));
      sm80::mma_m16n8k16<DTYPE>(tile_at(dq, 2 * step), ds, k[0], k[1]);
      sm80::mma_m16n8k16<DTYPE>(tile_at(dq, 2 * step + 1), ds, k[2], k[3]);
    }
  }
#pragma unroll
  for (int e = 0; e < 8 * kSteps; ++e) {
    const int i = first + 16 * group + lane / 4 + e / 2 % 2 * 8;
    const int d = 16 * share * kSteps + e / 4 * 8 + lane % 4 * 2 + e % 2;
    if (i < queries && d < depth) atomicAdd(to.row(i) + d, dq[e]);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gradients(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
              const DTYPE* __restrict__ dO, const RowSums* __restrict__ sums, float* __restrict__ query_sums,
              DTYPE* __restrict__ dK, DTYPE* __restrict__ dV, int heads, int kv_heads, int queries, int keys,
              int depth) {
  const KeysOfBlock tile(static_cast<int>(blockIdx.x), heads, kv_heads, queries, keys);
  const QueryRing ring = {shared, Q, dO, sums, heads, kv_heads, queries, depth};
  const unsigned tile_k = shared_address(shared), tile_v = tile_k + kOwnBytes;
  unsigned char* tile_ds = shared + 2 * kOwnBytes + STAGES * kStageBytes;
  copy_tile<kRows>(tile_k, rows_of(K, tile.b, tile.kv_head, kv_heads, keys, depth), tile.first, keys, depth);
  copy_tile<kRows>(tile_v, rows_of(V, tile.b, tile.kv_head, kv_heads, keys, depth), tile.first, keys, depth);
  for (int t = 0; t < STAGES - 1; ++t) ring.copy(tile, t);

  const float to_log2 = log2_scale(depth);
  const int own = tile.first + static_cast<int>(threadIdx.x) / 32 * 16;  // the warp's first key
  KeySums<false> of_keys;
#pragma unroll 1
  for (int t = 0; t < tile.tiles; ++t) {
    sm80::cp_async_wait<STAGES - 2>();
    __syncthreads();  // tile t is there for all, and all are done with tile t - 1 and its ds
    ring.copy(tile, t + STAGES - 1);
    float p[TILE / 2] = {}, ds[TILE / 2] = {};  // p begins as K Q^T, ds as V dO^T
    two_products<TILE>(p, ds, tile_k, ring.queries_at(t), tile_v, ring.gradients_at(t));
    const PairsOfWarp<TILE> pairs(own, tile.query(t), queries, keys);
    pairs.weigh(p, ds, ring.sums_at(t), to_log2);
    store_ds(tile_ds, ds);
    of_keys.add(p, ds, ring.queries_at(t), ring.gradients_at(t));
    __syncthreads();  // ds of all keys of the block
    add_queries(rows_of(query_sums, tile.b, tile.head(t, heads, kv_heads), heads, queries, depth),
                shared_address(tile_ds), tile_k, tile.query(t), queries, depth);
  }
  of_keys.write(rows_of(dK, tile.b, tile.kv_head, kv_heads, keys, depth),
                rows_of(dV, tile.b, tile.kv_head, kv_heads, keys, depth), to_log2 / kLog2e, own, keys, depth);
}

/// The sums, scaled and rounded, four a thread.
extern "C" __global__ void __launch_bounds__(256)
    round_queries(const float4* __restrict__ query_sums, uint2* __restrict__ dQ, int depth, long long fours) {
  const long long at = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (at >= fours) return;
  const float4 x = query_sums[at];
  const float factor = rsqrtf(static_cast<float>(depth));
  dQ[at] = {pack_pair<DTYPE>(x.x * factor, x.y * factor), pack_pair<DTYPE>(x.z * factor, x.w * factor)};
}
