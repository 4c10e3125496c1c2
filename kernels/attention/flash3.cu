// Rungs 5 to 8, warp_specialised, pingpong, flash3, persistent: wgmma that never waits for exponentials.
//
// Idea      the tensor cores need 1024 cycles for a 64 x 128 tile of scores and its values at depth 128, the
//           exponential unit (16 a cycle a multiprocessor) 512 for its 8192; at depth 64 both need 512. One after the
//           other, what one needs is lost for the other. Four ways to overlap them, each a parameter:
//           * one warpgroup copies (TMA, rings of keys and of values with barriers of their own), CONSUMERS multiply:
//             no barrier of the block, and each runs ahead as far as the rings go (warp_specialised, rung 5);
//           * PINGPONG: consumers alternate, by named barriers, in issuing products: while one has the tensor cores,
//             the others take exponentials (pingpong, rung 6);
//           * OVERLAP: the scores of the next tile are issued before the exponentials of this one, so that within a
//             warpgroup too the tensor cores work meanwhile (flash3, rung 7);
//           * PERSISTENT: a block a multiprocessor takes one tile of queries after another, those with most keys first;
//             the queries of the next have a place of their own (QUERY_STAGES = 2, where shared memory has room) and
//             are there before O, which leaves by the place of its own queries, has left (persistent, rung 8).
// Parameters CONSUMERS warpgroups, 64 queries each; BN keys a tile; STAGES of either ring; HEADS whose tiles are walked
//           together, so that their keys and values stay in L2.
// Expects   bf16 or fp16; depth a multiple of 8.
// Operations as rung 4: the same bits are copied and multiplied, in another order of time.
// Counted   512 x 512, depth 128, bf16, one head, on emu:h200: as rung 4; 1.04 exponentials a score
//           at 1024 x 1024 (one its own, the rest for running maxima).
// Gains     time only: what overlaps is not counted, but measured.
// Lacks     fp8; a query's heads packed into one tile where keys are shared (decode); tiles of two blocks by multicast.
// Measured  an H100 (80 GB HBM3), bf16, 4 x 16 x 4096 x 128, default parameters, full and causal, TFLOP/s:
//           warp_specialised 608, 545; pingpong 624, 550; flash3 641, 572; persistent 647, 552. In the same run PyTorch
//           2.11's cuDNN 9.19 675, 576, its FlashAttention-2 358, 311.
#include "hopper_tile.cuh"
#include "softcap.cuh"

constexpr int kThreads = 128 * (CONSUMERS + 1);
constexpr int kKeysBytes = TileOfKeys::kBytes, kValuesBytes = TileOfValues::kBytes;  // of a stage
constexpr int kQueriesBytes = CONSUMERS * TileOfQueries::kBytes;
// Of 65536 registers: what the launch gives every thread is shared out anew, in steps of 8.
constexpr int kProducerRegisters = CONSUMERS == 3 ? 32 : 24;
constexpr int kConsumerRegisters = CONSUMERS == 3 ? 160 : 240;

// Named barriers: 1 + consumer, of its own 128 threads; kTurn + consumer, that it may issue.
constexpr int kTurn = 8;

/// QUERY_STAGES x CONSUMERS tiles of queries, STAGES of keys, STAGES of values.
extern __shared__ __align__(1024) unsigned char shared[];

/// Tile number `at` of the problem, in the order in which tiles are begun.
struct WorkTile {
  int b, head, kv_head, first, begin_tile, key_tiles;  // of keys: [begin_tile, key_tiles)

  __device__ __forceinline__ WorkTile(int at, int batch, int heads, int kv_heads, int queries, int keys) {
    constexpr int kRows = 64 * CONSUMERS;
    const int tiles = (queries - 1) / kRows + 1, all_heads = batch * heads;
    const int bundle = at / (HEADS * tiles), within = at - bundle * HEADS * tiles;
    const int rest = all_heads - bundle * HEADS, together = rest < HEADS ? rest : HEADS;
    const int tile = within / together, z = bundle * HEADS + within - tile * together;
    b = z / heads, head = z - b * heads, kv_head = head / (heads / kv_heads);
    first = (CAUSAL ? tiles - 1 - tile : tile) * kRows;
    const int last = first + kRows < queries ? first + kRows - 1 : queries - 1;
    const int seen = (visible_keys(last, queries, keys) + BN - 1) / BN;
    key_tiles = seen > 0 ? seen : 1;  // one that is wholly masked says: nothing seen
    begin_tile = first_visible(visible_keys(first, queries, keys)) / BN;
  }
};

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    attention(const __grid_constant__ TensorMap map_q, const __grid_constant__ TensorMap map_k,
              const __grid_constant__ TensorMap map_v, const __grid_constant__ TensorMap map_o, float* __restrict__ LSE,
              int batch, int heads, int kv_heads, int queries, int keys, int depth, int tiles, float softcap) {
  __shared__ Mbarrier full_q[QUERY_STAGES], empty_q[QUERY_STAGES], full_k[STAGES], empty_k[STAGES], full_v[STAGES], empty_v[STAGES];
  const Pipeline<QUERY_STAGES> pipe_q{full_q, empty_q};
  const Pipeline<STAGES> pipe_k{full_k, empty_k}, pipe_v{full_v, empty_v};
  const unsigned of_queries = shared_address(shared), of_keys = of_queries + QUERY_STAGES * kQueriesBytes;
  const unsigned of_values = of_keys + STAGES * kKeysBytes;
  const int group = warpgroup_index();
  if (threadIdx.x == 0) {
    pipe_q.init(1, CONSUMERS);
    pipe_k.init(1, CONSUMERS);
    pipe_v.init(1, CONSUMERS);
  }
  __syncthreads();

  if (group == CONSUMERS) {  // the producer
    warpgroup_reg_dealloc<kProducerRegisters>();
    if (threadIdx.x != CONSUMERS * 128) return;
    PipelineState<QUERY_STAGES> at_q;
    PipelineState<STAGES> at_k, at_v;
#pragma unroll 1
    for (int at = static_cast<int>(blockIdx.x); at < tiles; at += static_cast<int>(gridDim.x)) {
      const WorkTile tile(at, batch, heads, kv_heads, queries, keys);
      const auto load_keys = [&](int j) {
        pipe_k.acquire(at_k);
        pipe_k.expect(at_k, kKeysBytes);
        TileOfKeys::load(of_keys + at_k.index * kKeysBytes, map_k, full_k[at_k.index], j * BN, 0, tile.kv_head,
                         tile.b);
        at_k.advance();
      };
      const auto load_values = [&](int j) {
        pipe_v.acquire(at_v);
        pipe_v.expect(at_v, kValuesBytes);
        TileOfValues::load(of_values + at_v.index * kValuesBytes, map_v, full_v[at_v.index], 0, j * BN, tile.kv_head,
                           tile.b);
        at_v.advance();
      };
      pipe_q.acquire(at_q);
      pipe_q.expect(at_q, kQueriesBytes);
      for (int i = 0; i < CONSUMERS; ++i)
        TileOfQueries::load(of_queries + at_q.index * kQueriesBytes + i * TileOfQueries::kBytes, map_q,
                            full_q[at_q.index], tile.first + 64 * i, 0, tile.head, tile.b);
      at_q.advance();
      // In the order in which they are waited for: the last keys first, where the masks are.
      load_keys(tile.key_tiles - 1);
#pragma unroll 1
      for (int j = tile.key_tiles - 2; j >= tile.begin_tile; --j) {
        load_keys(j);
        load_values(j + 1);
      }
      load_values(tile.begin_tile);
    }
    return;
  }

  warpgroup_reg_alloc<kConsumerRegisters>();
  const bool speaks = threadIdx.x % 128 == 0;  // for its warpgroup
  const NamedBarrier own_turn{kTurn + group, 256}, next_turn{kTurn + (group + 1) % CONSUMERS, 256};
  if (PINGPONG && group == CONSUMERS - 1) next_turn.arrive();  // the first consumer begins
  const ScoreScale scale(depth, softcap);
  const float to_log2 = scale.to_log2;
  PipelineState<QUERY_STAGES> at_q;
  PipelineState<STAGES> at_k, at_v;
#pragma unroll 1
  for (int at = static_cast<int>(blockIdx.x); at < tiles; at += static_cast<int>(gridDim.x)) {
    const WorkTile tile(at, batch, heads, kv_heads, queries, keys);
    const int first = tile.first + 64 * group;
    const unsigned tile_q = of_queries + at_q.index * kQueriesBytes + group * TileOfQueries::kBytes;
    const RowsOfWarpgroup rows(first, queries, keys);
    OnlineSoftmax softmax;
    Scores s;
    Outputs o;
    Weights p;
    float shrink[2];

    pipe_q.wait(at_q);
    pipe_k.wait(at_k);
    if (PINGPONG) own_turn.sync();
    wgmma_fence();
    issue_scores(s, tile_q, of_keys + at_k.index * kKeysBytes);
    if (PINGPONG) next_turn.arrive();
    wgmma_wait<0>();
    wgmma_settle(s);
    if (speaks) pipe_k.release(at_k);
    at_k.advance();
    scale.cap_all(s);
    rows.mask(s, (tile.key_tiles - 1) * BN);
    softmax.advance(s, to_log2, shrink);
    pack_all(p, s);

    bool accumulate = false;
#pragma unroll 1
    for (int j = tile.key_tiles - 2; j >= tile.begin_tile; --j) {
      pipe_k.wait(at_k);
      if (!OVERLAP) pipe_v.wait(at_v);
      if (PINGPONG) own_turn.sync();
      wgmma_fence();
      if (!OVERLAP) issue_values(o, p, of_values + at_v.index * kValuesBytes, accumulate);
      issue_scores(s, tile_q, of_keys + at_k.index * kKeysBytes);
      if (OVERLAP) {
        pipe_v.wait(at_v);
        wgmma_fence();  // p and o were touched, and ptxas does not look across the wait
        issue_values(o, p, of_values + at_v.index * kValuesBytes, accumulate);
      }
      if (PINGPONG) next_turn.arrive();
      accumulate = true;
      wgmma_wait<OVERLAP>();
      wgmma_settle(s);
      if (speaks) pipe_k.release(at_k);
      at_k.advance();
      scale.cap_all(s);
      rows.mask(s, j * BN);
      softmax.advance(s, to_log2, shrink);
      wgmma_wait<0>();
      wgmma_settle(o);
      if (speaks) pipe_v.release(at_v);
      at_v.advance();
      scale_rows(o, shrink);
      pack_all(p, s);
    }

    pipe_v.wait(at_v);
    wgmma_fence();
    issue_values(o, p, of_values + at_v.index * kValuesBytes, accumulate);
    float factor[2], lse[2];
    softmax.finish(factor, lse);
    store_lse(lse, LSE + (static_cast<long long>(tile.b) * heads + tile.head) * queries, first, queries);
    wgmma_wait<0>();
    wgmma_settle(o);
    if (speaks) pipe_v.release(at_v);
    at_v.advance();
    scale_rows(o, factor);
    store_output(o, tile_q, map_o, first, tile.head, tile.b, {1 + group, 128});
    if (speaks) pipe_q.release(at_q);
    at_q.advance();
  }
  if (PINGPONG && group == 0) own_turn.sync();  // the last one's arrival
}
