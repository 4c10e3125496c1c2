// Rung 4, wgmma: the tensor cores of sm_90a, which read K and V from shared memory themselves; TMA; P from registers.
//
// Idea      a warpgroup has 64 queries. S = Q K^T is one chain of wgmma, both operands by descriptor; the scores
//           come back in registers, become weights there, and O += P V is another, whose left operand may stay in
//           registers. TMA copies whole tiles, swizzled as wgmma wants them, by one thread, and fills with zeros what
//           hangs over.
// Parameters GROUPS warpgroups, 64 queries each; BN keys a tile; STAGES of keys and values.
// Expects   bf16 or fp16; depth a multiple of 8.
// Operations global: K and V once for every 64 GROUPS queries; shared: nothing by the threads but O on its way out.
// Counted   512 x 512, depth 128, bf16, one head, on emu:h200: 1,179,648 bytes loaded, 134,217,728 FLOPs on tensor
//           cores: as predicted.
// Gains     the tensor cores' full rate is in reach: mma.sync ends at about 63 % of it on an H200. No ldmatrix.
// Lacks     overlap within a warpgroup: copy, scores, exponentials, values follow one another, and all warpgroups
//           do the same at the same time.
// Measured  an H100 (80 GB HBM3), bf16, 4 x 16 x 4096 x 128: 1014 us full, 566 us causal (542, 485 TFLOP/s).
#include "hopper_tile.cuh"
#include "query_tile.cuh"
#include "softcap.cuh"

/// GROUPS tiles of queries, then STAGES x { keys, values }.
extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(128 * GROUPS)
    attention(const __grid_constant__ TensorMap map_q, const __grid_constant__ TensorMap map_k,
              const __grid_constant__ TensorMap map_v, const __grid_constant__ TensorMap map_o, float* __restrict__ LSE,
              int heads, int kv_heads, int queries, int keys, int depth, float softcap) {
  __shared__ Mbarrier full[STAGES + 1];  // the last one of the queries
  const QueryTile tile(static_cast<int>(blockIdx.x), 64 * GROUPS, heads, kv_heads, queries);
  const int group = warpgroup_index(), first = tile.first + 64 * group;
  const unsigned of_queries = shared_address(shared), stages = of_queries + GROUPS * TileOfQueries::kBytes;
  constexpr int kStageBytes = TileOfKeys::kBytes + TileOfValues::kBytes;
  const int last = tile.first + 64 * GROUPS < queries ? tile.first + 64 * GROUPS - 1 : queries - 1;
  const int seen = (visible_keys(last, queries, keys) + BN - 1) / BN;
  const int begin_tile = first_visible(visible_keys(tile.first, queries, keys)) / BN;  // of a window
  const int tiles = (seen > 0 ? seen : 1) - begin_tile;

  const auto load_stage = [&](int j) {
    const unsigned stage = stages + j % STAGES * kStageBytes;
    full[j % STAGES].arrive_expect_tx(kStageBytes);
    const int key = (begin_tile + j) * BN;
    TileOfKeys::load(stage, map_k, full[j % STAGES], key, 0, tile.kv_head, tile.b);
    TileOfValues::load(stage + TileOfKeys::kBytes, map_v, full[j % STAGES], 0, key, tile.kv_head, tile.b);
  };
  if (threadIdx.x == 0) {
    for (int i = 0; i <= STAGES; ++i) full[i].init(1);
    fence_mbarrier_init();
    fence_proxy_async();
    full[STAGES].arrive_expect_tx(GROUPS * TileOfQueries::kBytes);
    for (int i = 0; i < GROUPS; ++i)
      TileOfQueries::load(of_queries + i * TileOfQueries::kBytes, map_q, full[STAGES], tile.first + 64 * i, 0,
                          tile.head, tile.b);
    for (int j = 0; j < STAGES - 1 && j < tiles; ++j) load_stage(j);
  }
  __syncthreads();

  const RowsOfWarpgroup rows(first, queries, keys);
  const ScoreScale scale(depth, softcap);
  const float to_log2 = scale.to_log2;
  OnlineSoftmax softmax;
  Outputs o = {};
  full[STAGES].wait(0);
#pragma unroll 1
  for (int j = 0; j < tiles; ++j) {
    const unsigned stage = stages + j % STAGES * kStageBytes;
    if (threadIdx.x == 0 && j + STAGES - 1 < tiles) load_stage(j + STAGES - 1);  // where tile j - 1 was
    full[j % STAGES].wait(j / STAGES & 1);
    Scores s;
    wgmma_fence();
    issue_scores(s, of_queries + group * TileOfQueries::kBytes, stage);
    wgmma_wait<0>();
    wgmma_settle(s);
    scale.cap_all(s);
    rows.mask(s, (begin_tile + j) * BN);
    float shrink[2];
    softmax.advance(s, to_log2, shrink);
    scale_rows(o, shrink);
    Weights p;
    pack_all(p, s);
    wgmma_fence();
    issue_values(o, p, stage + TileOfKeys::kBytes, true);
    wgmma_wait<0>();
    wgmma_settle(o);
    __syncthreads();  // all are done with tile j
  }

  float factor[2], lse[2];
  softmax.finish(factor, lse);
  scale_rows(o, factor);
  store_lse(lse, LSE + (static_cast<long long>(tile.b) * heads + tile.head) * queries, first, queries);
  store_output(o, of_queries + group * TileOfQueries::kBytes, map_o, first, tile.head, tile.b, {1 + group, 128});
}
