// Rung 3, wgmma: all three in one launch as in rung 2, on wgmma and TMA; dQ is added up by bulk reduce copies.
//
// Idea      * a warpgroup has 64 keys of the block's 128. S^T = K Q^T and dP^T = V dO^T are chains of wgmma with both
//             operands in shared memory; weights and ds come out with a key a row, and so stay in registers as the
//             left operands of dV += P^T dO and dK += dS^T Q, which stand in registers over the whole loop.
//           * dQ = dS K sums over all keys of the block: both warpgroups lay ds in shared memory, a key a row (two
//             buffers, so that one barrier a tile is enough), and each makes half of the tile's dQ. wgmma reads ds
//             transposed, and K, Q, dO along either index, from the one copy that TMA has made.
//           * dQ goes to shared memory in fp32, from there a bulk copy adds it to memory, 16 KB an instruction
//             (cp.reduce.async.bulk), in the order in which threads hold it. The last launch scales, rounds and puts
//             in order.
//           * a warpgroup copies: rings of Q (with the rows' sums) and of dO, by TMA, with barriers of their own.
//             Exponentials of one warpgroup run beside products of the other.
// Parameters STAGES of either ring; AHEAD: the scores of the next tile are issued before dQ of this one has left, at
//           the price of 32 registers. BM queries a tile follow from the depth: 64, and 128 up to depth 64.
// Expects   bf16 or fp16; depth a multiple of 8, at most 128.
// Operations 10 queries keys depth FLOPs of tensor cores (of depths between 64 and 128 dQ has 128 columns); for each
//           block of 128 keys queries depth floats are added in L2.
// Counted   512 x 512, depth 128, bf16, one head, on emu:h200: 1,853,440 bytes loaded, 1,445,888 stored (1,048,576 of
//           them added to dQ), 335,544,320 FLOPs on tensor cores, 12,048 requests to shared memory (atomic: 64,128), no
//           bank conflicts, nothing spilled: as predicted. Causal, 1024 x 1024: 1.12 of the useful FLOPs; 1.03 of them
//           at 4096, where the edge counts less.
// Measured  an H200, bf16, 4 x 16 x 4096, causal: depth 128 1501 us, 458 TFLOP/s of what is useful (STAGES=1 AHEAD=0;
//           mma: 4621 us), depth 64 976 us, 352 (STAGES=2 AHEAD=1). Depth 128 full 2447 us, 562, before any finals.
// Lacks     order: dQ differs between runs in its last bits. AHEAD at depth 128, causal: it spills 88 bytes a thread and
//           more. Depth above 128, where dK and dV of 64 keys need more registers than there are. The half block of the
//           causal edge that sees nothing is computed all the same.
#include "hopper_tiles.cuh"

constexpr int kThreads = 384;  // two warpgroups multiply, one copies
// Of 65536 registers: what the launch gives every thread is shared out anew.
constexpr int kProducerRegisters = 24, kConsumerRegisters = 240;
constexpr int kKeysBytes = TileOfKeys::kBytes, kTileBytes = TileOfQueries::kBytes, kDsBytes = TileOfDs::kBytes;
constexpr int kPartBytes = kPartFloats * 4, kSumsBytes = BM * static_cast<int>(sizeof(RowSums));

/// K, V, STAGES of Q, STAGES of dO, two of ds, two parts of dq, STAGES of the rows' sums.
extern __shared__ __align__(1024) unsigned char shared[];
constexpr int kAtV = kKeysBytes, kAtQ = 2 * kKeysBytes, kAtG = kAtQ + STAGES * kTileBytes;
constexpr int kAtDs = kAtG + STAGES * kTileBytes, kAtParts = kAtDs + 2 * kDsBytes, kAtSums = kAtParts + 2 * kPartBytes;

using Tiles = KeyTile<kKeys, BM>;
using Ring = Pipeline<STAGES>;
using RingState = PipelineState<STAGES>;

template <bool Value>
struct Constant {
  static constexpr bool kValue = Value;
};

/// One thread: K and V of the block, then the tiles of queries, of one head after another.
__device__ __forceinline__ void copy_all(const Tiles& tile, const TensorMap& map_q, const TensorMap& map_k,
                                         const TensorMap& map_v, const TensorMap& map_g, const TensorMap& map_sums,
                                         Mbarrier& full_kv, const Ring& ring_q, const Ring& ring_g, int heads,
                                         int kv_heads) {
  const unsigned base = shared_address(shared);
  full_kv.arrive_expect_tx(2 * kKeysBytes);
  TileOfKeys::load(base, map_k, full_kv, tile.first, 0, tile.kv_head, tile.b);
  TileOfKeys::load(base + kAtV, map_v, full_kv, tile.first, 0, tile.kv_head, tile.b);
  RingState at;  // of both rings
  QueryWalk<BM> walk(tile, heads, kv_heads);
#pragma unroll 1
  for (int t = 0; t < tile.tiles; ++t) {
    ring_q.acquire(at);
    ring_q.expect(at, kTileBytes + kSumsBytes);
    TileOfQueries::load(base + kAtQ + at.index * kTileBytes, map_q, ring_q.full[at.index], walk.query, 0, walk.head,
                        tile.b);
    TmaLoad::load(map_sums, base + kAtSums + at.index * kSumsBytes, ring_q.full[at.index], 2 * walk.query,
                  tile.b * heads + walk.head);
    ring_g.acquire(at);
    ring_g.expect(at, kTileBytes);
    TileOfQueries::load(base + kAtG + at.index * kTileBytes, map_g, ring_g.full[at.index], walk.query, 0, walk.head,
                        tile.b);
    at.advance();
    walk.advance();
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gradients(const __grid_constant__ TensorMap map_q, const __grid_constant__ TensorMap map_k,
              const __grid_constant__ TensorMap map_v, const __grid_constant__ TensorMap map_g,
              const __grid_constant__ TensorMap map_sums, const __grid_constant__ TensorMap map_dk,
              const __grid_constant__ TensorMap map_dv, float* __restrict__ query_sums, int heads, int kv_heads,
              int queries, int keys, int depth) {
  __shared__ Mbarrier full_kv, full_q[STAGES], empty_q[STAGES], full_g[STAGES], empty_g[STAGES];
  const Ring ring_q{full_q, empty_q}, ring_g{full_g, empty_g};
  const Tiles tile(static_cast<int>(blockIdx.x), heads, kv_heads, queries, keys);
  const int group = warpgroup_index();
  if (threadIdx.x == 0) {
    full_kv.init(1);
    ring_q.init(1, 2);
    ring_g.init(1, 2);
  }
  __syncthreads();

  if (group == 2) {  // the producer
    warpgroup_reg_dealloc<kProducerRegisters>();
    if (threadIdx.x == 2 * 128)
      copy_all(tile, map_q, map_k, map_v, map_g, map_sums, full_kv, ring_q, ring_g, heads, kv_heads);
    return;
  }

  warpgroup_reg_alloc<kConsumerRegisters>();
  const bool speaks = threadIdx.x % 128 == 0;  // for its warpgroup
  const NamedBarrier own_threads{1 + group, 128}, both{3, 256};
  const unsigned tile_k = shared_address(shared), tile_v = tile_k + kAtV;
  const unsigned stage = tile_k + kAtParts + group * kPartBytes;         // of dq on its way out
  const int own = tile.first + static_cast<int>(threadIdx.x) / 32 * 16;  // the warp's first key
  const float to_log2 = log2_scale(depth);
  const int head_tiles = (queries - 1) / BM + 1;
  KeyRows dk = {}, dv = {};
  RingState at;
  QueryWalk<BM> walk(tile, heads, kv_heads);

  full_kv.wait(0);
  Pairs p;  // begins as K Q^T
  // Tile t, and where `ahead` the first scores of the next.
  const auto add_tile = [&](int t, auto ahead) {
    const unsigned tile_q = tile_k + kAtQ + at.index * kTileBytes, tile_g = tile_k + kAtG + at.index * kTileBytes;
    const unsigned tile_ds = tile_k + kAtDs + t % 2 * kDsBytes;
    const RowSums* sums = reinterpret_cast<const RowSums*>(shared + kAtSums + at.index * kSumsBytes);
    QueryRows dq;
#pragma unroll
    for (int query = 0; query < BM; query += 64) {
      const PairsOfWarp<64> pairs(own, walk.query + query, queries, keys);
      Pairs ds;  // begins as V dO^T, p as K Q^T
      Weights packed_p, packed_ds;
      const bool issued = AHEAD && query == 0;
      if (!issued) {
        if (query == 0) ring_q.wait(at);
        wgmma_fence();
        issue_pairs(p, tile_k, 64 * group, tile_q, query);
      }
      if (query == 0) ring_g.wait(at);
      wgmma_fence();
      issue_pairs(ds, tile_v, 64 * group, tile_g, query);
      if (!issued) {
        wgmma_wait<1>();
        wgmma_settle(p);
      }
      pairs.weigh(p, sums + query, to_log2);
      pack_all(packed_p, p);
      wgmma_fence();
      issue_sums(dv, packed_p, tile_g, query);
      wgmma_wait<1>();
      wgmma_settle(ds);
      pairs.differentiate(ds, p, sums + query);
      pack_all(packed_ds, ds);
      store_ds(tile_ds, packed_ds, query);
      wgmma_fence();
      issue_sums(dk, packed_ds, tile_q, query);
    }
    fence_proxy_async();
    if (speaks) tma_store_wait_read<0>();
    both.sync();  // ds of all keys of the block is there, and so is room for dq
    wgmma_fence();
    issue_queries(dq, tile_ds, kByColumns ? 0 : 64 * group, tile_k, kByColumns ? 64 * group : 0);
    wgmma_wait<1>();
    wgmma_settle(dv);
    wgmma_settle(dk);
    if (speaks) ring_q.release(at);
    if (speaks) ring_g.release(at);
    at.advance();
    if constexpr (ahead.kValue) {
      ring_q.wait(at);
      wgmma_fence();
      issue_pairs(p, tile_k, 64 * group, tile_k + kAtQ + at.index * kTileBytes, 0);
    }
    wgmma_wait<ahead.kValue>();
    wgmma_settle(dq);
    stage_queries(reinterpret_cast<float4*>(shared + kAtParts + group * kPartBytes), dq);
    fence_proxy_async();
    own_threads.sync();
    if (speaks) {
      const int of_tile = (tile.b * heads + walk.head) * head_tiles + walk.query / BM;
      const long long part = of_tile * 2LL + group;
      bulk_reduce_add(query_sums + part * kPartFloats, stage, kPartBytes);
      tma_store_commit();
    }
    walk.advance();
    if constexpr (ahead.kValue) {
      wgmma_wait<0>();
      wgmma_settle(p);
    }
  };
  if constexpr (!AHEAD) {
#pragma unroll 1
    for (int t = 0; t < tile.tiles; ++t) add_tile(t, Constant<false>());
  } else if (tile.tiles > 0) {
    ring_q.wait(at);
    wgmma_fence();
    issue_pairs(p, tile_k, 64 * group, tile_k + kAtQ, 0);
    wgmma_wait<0>();
    wgmma_settle(p);
#pragma unroll 1
    for (int t = 0; t < tile.tiles - 1; ++t) add_tile(t, Constant<true>());
    add_tile(tile.tiles - 1, Constant<false>());
  }
  both.sync();  // K was read by both
  const int first = tile.first + 64 * group;
  store_keys<TileOfKeys>(dv, 1.0f, tile_v, 64 * group, map_dv, first, tile.kv_head, tile.b, own_threads);
  store_keys<TileOfKeys>(dk, to_log2 / kLog2e, tile_k, 64 * group, map_dk, first, tile.kv_head, tile.b, own_threads);
  if (speaks) tma_store_wait<0>();
}

/// The sums, scaled, rounded and put in order. A block of 128 threads for each warpgroup's part of a tile.
extern "C" __global__ void __launch_bounds__(128)
    round_queries(const float4* __restrict__ query_sums, DTYPE* __restrict__ dQ, int heads, int queries, int depth) {
  const int head_tiles = (queries - 1) / BM + 1, part = static_cast<int>(blockIdx.x), group = part % 2;
  const int tile = part / 2 % head_tiles, z = part / 2 / head_tiles;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const int first = tile * BM + (kByColumns ? 0 : 64 * group) + thread / 32 * 16 + lane / 4;
  const int begin = kByColumns ? 64 * group : 0;
  const int column = begin + query_column();
  const float factor = rsqrtf(static_cast<float>(depth));
  const HeadRows<DTYPE> to = rows_of(dQ, z / heads, z % heads, heads, queries, depth);
#pragma unroll
  for (int i = 0; i < WIDE / 16; ++i) {
    if (begin + 16 * i >= depth) break;
    const long long at = static_cast<long long>(part) * (WIDE / 8) + 2 * i;
    write_query_columns(query_sums + at * 128 + thread, factor, to, first, column + 16 * i, queries, depth);
  }
}
