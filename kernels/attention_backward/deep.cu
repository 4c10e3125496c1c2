// Rung 4, deep: depth above 128. Three warpgroups have a product each to add up: dV, dK, dQ.
//
// Idea      * at depth 256 dK and dV of 64 keys are 256 registers a thread of one warpgroup: rung 3, where each has both
//             of its own keys, ends at depth 128. Here a block has 64 keys, and the warpgroups share out the sums:
//               values   S^T = K Q^T, P, dV += P^T dO     128 registers of dV, 32 of S
//               keys     dP^T = V dO^T, ds, dK += dS^T Q  128 registers of dK, 32 of dP
//               queries  dQ = dS K                        32 registers, 64 columns at a time
//             P and ds are the left operands of dV and dK where they stand. P crosses over to the keys' warpgroup in
//             fp32 through shared memory (each thread finds there what the same thread of the other has left), ds to the
//             queries' one as 16-bit numbers, a key a row, which wgmma reads transposed.
//           * products and exponentials overlap without any order of issue: values and keys issue the pairs of the next
//             tile behind the sums of this one, and what one warpgroup computes meanwhile, the two others multiply.
//           * dQ leaves from registers: red.global.add.v4.f32, 512 bytes a warp in one run, in the order in which threads
//             hold it, past shared memory, which has no room for it. The last launch scales, rounds and puts in order.
//           * a fourth warpgroup copies, as in rung 3.
// Budget    depth 256. Shared memory: K and V 64 KB, two stages of Q and of dO 128 KB, P 16 KB, two tiles of ds 16 KB,
//           sums 1 KB: 230,400 of 232,448 bytes. Registers, of 512 for four threads: 208 values, 208 keys, 72 queries, 24
//           copies. 176 of the 208 hold sums, pairs and packed weights: what follows from the thread's number, and
//           descriptors, are computed anew in each tile (thread_again), else they spill.
//           Cycles of the multiprocessor, a tile of 64 x 64 pairs: tensor cores 2560 (five products of 512). Shared
//           memory at 128 bytes a cycle: operands of the pairs 1024 (64 x 64 x 16 reads as long as it multiplies), of dV
//           and dK 512, of dQ 512, copies 512, P 256, ds 64: 2880, which is why P and ds of dV and dK must not pass
//           through it. L2: 64 KB read and 64 KB added, twice of rung 3's for the same products.
// Parameters STAGES of either ring; three fit up to depth 192.
// Expects   bf16 or fp16; depth a multiple of 8, 136 to 256.
// Operations 10 queries keys depth FLOPs of tensor cores; for each block of 64 keys queries depth floats are added in L2.
// Counted   512 x 512, depth 256, bf16, one head, on emu:h200: 5,801,984 bytes loaded, 4,984,832 stored (4,194,304 of them
//           added to dQ), 671,088,640 FLOPs on tensor cores, no bank conflicts: as predicted. 8 heads of 1024 places: 41.2 us
//           modelled of gradients, tensor cores busy 77 % of it.
// Measured  an H100, bf16, 2 x 8 x 8192, depth 256: 6286 us full, 437 TFLOP/s, and 3262 us causal, 421 of what is useful;
//           cuDNN 9.19 358 and 394 there, FlashAttention-2 252 and 240.
// Lacks     order: dQ differs between runs in its last bits. Clusters, whose blocks would share copies of Q and dO. 8 bytes
//           a thread spill at depth 256 without a mask.
#include "deep_tiles.cuh"

constexpr int kThreads = 512;
constexpr int kCopyRegisters = 24, kQueryRegisters = 72, kSumRegisters = 208;
constexpr int kTileBytes = TileOfRows::kBytes, kDsBytes = TileOfDs::kBytes;
constexpr int kSumsBytes = 64 * static_cast<int>(sizeof(RowSums)), kWeightBytes = 64 * 64 * 4;

/// K, V, STAGES of Q, STAGES of dO, two of ds, P, STAGES of the rows' sums.
extern __shared__ __align__(1024) unsigned char shared[];
constexpr int kAtV = kTileBytes, kAtQ = 2 * kTileBytes, kAtG = kAtQ + STAGES * kTileBytes;
constexpr int kAtDs = kAtG + STAGES * kTileBytes, kAtWeights = kAtDs + 2 * kDsBytes;
constexpr int kAtSums = kAtWeights + kWeightBytes;

using Tiles = KeyTile<64, 64>;
using Ring = Pipeline<STAGES>;
using RingState = PipelineState<STAGES>;

// Between the warpgroups: P is there, P may be written; of either tile of ds the same; K and V may be overwritten.
constexpr NamedBarrier kWeightsThere{1, 256}, kRoomForWeights{2, 256}, kConsumers{7, 384};
__device__ __forceinline__ NamedBarrier ds_there(int t) {
  return {3 + t % 2, 256};
}
__device__ __forceinline__ NamedBarrier room_for_ds(int t) {
  return {5 + t % 2, 256};
}

/// What all roles know of the launch.
struct Launch {
  int heads, kv_heads, queries, keys;
};

/// The block's rings and tiles.
struct Block {
  Ring ring_q, ring_g;
  unsigned base;

  __device__ __forceinline__ unsigned queries(const RingState& at) const { return base + kAtQ + at.index * kTileBytes; }
  __device__ __forceinline__ unsigned gradients(const RingState& at) const {
    return base + kAtG + at.index * kTileBytes;
  }
  __device__ __forceinline__ const RowSums* sums(const RingState& at) const {
    return reinterpret_cast<const RowSums*>(shared + kAtSums + at.index * kSumsBytes);
  }
};

/// This warp is done with a stage: each of the eight warps of values and keys arrives for itself, since their threads
/// read the rows' sums, too.
__device__ __forceinline__ void release(const Ring& ring, const RingState& at) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) ring.release(at);
}

/// The warp's first key.
__device__ __forceinline__ int own_key(const Tiles& tile) {
  return tile.first + thread_again() / 32 * 16;
}

/// One thread: K and V of the block, then the tiles of queries, of one head after another.
__device__ __forceinline__ void copy_all(const Tiles& tile, const Block& block, const Launch& launch,
                                         const TensorMap& map_q, const TensorMap& map_k, const TensorMap& map_v,
                                         const TensorMap& map_g, const TensorMap& map_sums, Mbarrier& full_k,
                                         Mbarrier& full_v) {
  if (tile.tiles == 0) return;
  full_k.arrive_expect_tx(kTileBytes);
  TileOfRows::load(block.base, map_k, full_k, tile.first, 0, tile.kv_head, tile.b);
  RingState at;  // of both rings
  QueryWalk<64> walk(tile, launch.heads, launch.kv_heads);
#pragma unroll 1
  for (int t = 0; t < tile.tiles; ++t) {
    block.ring_q.acquire(at);
    block.ring_q.expect(at, kTileBytes + kSumsBytes);
    TileOfRows::load(block.queries(at), map_q, block.ring_q.full[at.index], walk.query, 0, walk.head, tile.b);
    TmaLoad::load(map_sums, block.base + kAtSums + at.index * kSumsBytes, block.ring_q.full[at.index], 2 * walk.query,
                  tile.b * launch.heads + walk.head);
    if (t == 0) {
      full_v.arrive_expect_tx(kTileBytes);
      TileOfRows::load(block.base + kAtV, map_v, full_v, tile.first, 0, tile.kv_head, tile.b);
    }
    block.ring_g.acquire(at);
    block.ring_g.expect(at, kTileBytes);
    TileOfRows::load(block.gradients(at), map_g, block.ring_g.full[at.index], walk.query, 0, walk.head, tile.b);
    at.advance();
    walk.advance();
  }
}

/// The values' warpgroup: dV of all tiles, and P for the keys' one.
__device__ __forceinline__ void add_values(KeyRows& dv, const Tiles& tile, const Block& block, const Launch& launch,
                                           float to_log2) {
  RingState at, before;
  QueryWalk<64> walk(tile, launch.heads, launch.kv_heads);
  Pairs p;  // begins as K Q^T
  Weights packed;
  block.ring_q.wait(at);
  issue_pairs(p, block.base, block.queries(at));
#pragma unroll 1
  for (int t = 0; t < tile.tiles; ++t) {
    wgmma_wait<1>();
    if (t > 0) release(block.ring_g, before);
    wgmma_wait<0>();
    wgmma_settle(p);
    const PairsOfWarp<64> pairs(own_key(tile), walk.query, launch.queries, launch.keys);
    pairs.weigh(p, block.sums(at), to_log2);
    release(block.ring_q, at);
    if (t > 0) kRoomForWeights.sync();
    hand_over(reinterpret_cast<float4*>(shared + kAtWeights), p);
    kWeightsThere.arrive();
    pack_all(packed, p);
    block.ring_g.wait(at);
    issue_sums(dv, packed, block.gradients(at));
    before = at;
    at.advance();
    walk.advance();
    if (t + 1 < tile.tiles) {
      block.ring_q.wait(at);
      issue_pairs(p, block.base, block.queries(at));
    }
  }
  wgmma_wait<0>();
  wgmma_settle(dv.first);
  wgmma_settle(dv.rest);
}

/// The keys' warpgroup: dK of all tiles, and ds for the queries' one.
__device__ __forceinline__ void add_keys(KeyRows& dk, const Tiles& tile, const Block& block, const Launch& launch) {
  RingState at, before;
  QueryWalk<64> walk(tile, launch.heads, launch.kv_heads);
  Pairs ds;  // begins as V dO^T
  Weights packed;
  block.ring_g.wait(at);
  issue_pairs(ds, block.base + kAtV, block.gradients(at));
#pragma unroll 1
  for (int t = 0; t < tile.tiles; ++t) {
    wgmma_wait<1>();
    if (t > 0) release(block.ring_q, before);
    wgmma_wait<0>();
    wgmma_settle(ds);
    release(block.ring_g, at);
    kWeightsThere.sync();
    block.ring_q.wait(at);
    differentiate(ds, reinterpret_cast<const float4*>(shared + kAtWeights), block.sums(at));
    if (t + 1 < tile.tiles) kRoomForWeights.arrive();
    clear_unseen(ds, {own_key(tile), walk.query, launch.queries, launch.keys});
    pack_all(packed, ds);
    if (t > 1) room_for_ds(t).sync();
    store_ds(block.base + kAtDs + t % 2 * kDsBytes, packed);
    fence_proxy_async();
    ds_there(t).arrive();
    issue_sums(dk, packed, block.queries(at));
    before = at;
    at.advance();
    walk.advance();
    if (t + 1 < tile.tiles) {
      block.ring_g.wait(at);
      issue_pairs(ds, block.base + kAtV, block.gradients(at));
    }
  }
  wgmma_wait<0>();
  wgmma_settle(dk.first);
  wgmma_settle(dk.rest);
}

/// Columns of a tile's dQ, 64 or what there are, from Column on.
template <int Column>
__device__ __forceinline__ void add_columns(float4* sums, unsigned ds, unsigned keys) {
  constexpr int kWidth = Column + 64 <= DEPTH ? 64 : TAIL;
  float dq[kWidth / 2];
  multiply_ds<Column, kWidth>(dq, ds, keys);
  add_queries<Column, kWidth>(sums, dq);
}

/// The queries' warpgroup: dQ of all tiles, added up in memory.
__device__ __forceinline__ void add_all_queries(const Tiles& tile, const Block& block, const Launch& launch,
                                                float4* query_sums) {
  QueryWalk<64> walk(tile, launch.heads, launch.kv_heads);
  const int head_tiles = (launch.queries - 1) / 64 + 1;
#pragma unroll 1
  for (int t = 0; t < tile.tiles; ++t) {
    const unsigned ds = block.base + kAtDs + t % 2 * kDsBytes;
    const long long of_tile =
        (tile.b * launch.heads + walk.head) * static_cast<long long>(head_tiles) + walk.query / 64;
    float4* sums = query_sums + of_tile * (DEPTH / 8 * 128) + threadIdx.x % 128;
    ds_there(t).sync();
    add_columns<0>(sums, ds, block.base);
    add_columns<64>(sums, ds, block.base);
    add_columns<128>(sums, ds, block.base);
    if constexpr (DEPTH > 192) add_columns<192>(sums, ds, block.base);
    if (t + 2 < tile.tiles) room_for_ds(t).arrive();
    walk.advance();
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gradients(const __grid_constant__ TensorMap map_q, const __grid_constant__ TensorMap map_k,
              const __grid_constant__ TensorMap map_v, const __grid_constant__ TensorMap map_g,
              const __grid_constant__ TensorMap map_sums, const __grid_constant__ TensorMap map_dk,
              const __grid_constant__ TensorMap map_dv, float4* __restrict__ query_sums, int heads, int kv_heads,
              int queries, int keys, int depth) {
  __shared__ Mbarrier full_k, full_v, full_q[STAGES], empty_q[STAGES], full_g[STAGES], empty_g[STAGES];
  const Launch launch{heads, kv_heads, queries, keys};
  const Block block{{full_q, empty_q}, {full_g, empty_g}, shared_address(shared)};
  const Tiles tile(static_cast<int>(blockIdx.x), heads, kv_heads, queries, keys);
  const int group = warpgroup_index();
  if (threadIdx.x == 0) {
    full_k.init(1);
    full_v.init(1);
    block.ring_q.init(1, 8);
    block.ring_g.init(1, 8);
  }
  __syncthreads();

  if (group == 3) {
    warpgroup_reg_dealloc<kCopyRegisters>();
    if (threadIdx.x == 3 * 128) copy_all(tile, block, launch, map_q, map_k, map_v, map_g, map_sums, full_k, full_v);
    return;
  }
  if (group == 2) {
    warpgroup_reg_dealloc<kQueryRegisters>();
    if (tile.tiles > 0) full_k.wait(0);
    add_all_queries(tile, block, launch, query_sums);
    kConsumers.sync();
    return;
  }
  warpgroup_reg_alloc<kSumRegisters>();
  const float to_log2 = log2_scale(depth);
  KeyRows sums;
  if (group == 0) {
    if (tile.tiles > 0) {
      full_k.wait(0);
      add_values(sums, tile, block, launch, to_log2);
    }
    kConsumers.sync();  // nobody reads K and V any more
    store_keys<TileOfRows>(sums, 1.0f, block.base + kAtV, 0, map_dv, tile.first, tile.kv_head, tile.b, {8, 128});
  } else {
    if (tile.tiles > 0) {
      full_v.wait(0);
      add_keys(sums, tile, block, launch);
    }
    kConsumers.sync();
    store_keys<TileOfRows>(sums, to_log2 / kLog2e, block.base, 0, map_dk, tile.first, tile.kv_head, tile.b, {9, 128});
  }
  if (threadIdx.x % 128 == 0) tma_store_wait<0>();
}

/// The sums of a tile of 64 queries, scaled, rounded and put in order: blocks of 128 threads, which hold them as the
/// queries' warpgroup does, each half of the columns.
extern "C" __global__ void __launch_bounds__(128)
    round_queries(const float4* __restrict__ query_sums, DTYPE* __restrict__ dQ, int heads, int queries, int depth) {
  constexpr int kSteps = (DEPTH / 16 + 1) / 2;
  const int head_tiles = (queries - 1) / 64 + 1, part = static_cast<int>(blockIdx.x), begin = part % 2 * kSteps;
  const int tile = part / 2 % head_tiles, z = part / 2 / head_tiles;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const int first = tile * 64 + thread / 32 * 16 + lane / 4;
  const int column = query_column();
  const float factor = rsqrtf(static_cast<float>(depth));
  const HeadRows<DTYPE> to = rows_of(dQ, z / heads, z % heads, heads, queries, depth);
#pragma unroll
  for (int i = begin; i < begin + kSteps; ++i) {
    if (16 * i >= depth) break;
    const long long at = static_cast<long long>(part / 2) * (DEPTH / 8) + 2 * i;
    write_query_columns(query_sums + at * 128 + thread, factor, to, first, column + 16 * i, queries, depth);
  }
}
