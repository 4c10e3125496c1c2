// Rung 2, mma: tensor cores, on tiles of 16 WARPS queries by BN keys; softmax on the way, of tiles.
//
// Idea      a warp has 16 queries. Their scores against BN keys are a product of matrices, on tensor cores
//           (mma.sync.m16n8k16); the tile of scores stays in registers, where it becomes weights; and the accumulators
//           of the first product, packed in pairs, are just what the second, with the values, wants as its left
//           operand. So scores never leave the registers. K and V come to shared memory, where all warps use them.
// Parameters WARPS, 16 queries each; BN keys a tile.
// Expects   bf16 or fp16; depth a multiple of 8. Any queries and keys: what hangs over is 0, and masked.
// Operations global: K and V once for every 16 WARPS queries; shared: Q, K and V once a warp.
// Counted   512 x 512, depth 128, bf16, one head, on emu:h200: 2,228,224 bytes loaded, 9,437,184 from shared memory,
//           134,217,728 FLOPs on tensor cores: as predicted.
// Gains     reuse: a number of K meets 16 WARPS queries a load from global memory, 16 a load from shared memory; and
//           2048 fma an instruction of the tensor cores.
// Lacks     overlap: all warps load, wait, multiply. Q is loaded anew for each tile. Rows are padded.
// Measured  an H100 (80 GB HBM3), bf16, 4 x 16 x 4096 x 128: 2533 us full, 1424 us causal (217, 193 TFLOP/s).
#include "mma_tile.cuh"
#include "softcap.cuh"
#include "window.cuh"

using Place = sm80::Padded<kRowBytes>;
using Words = Packed<DTYPE, 8>;
constexpr int kRows = 16 * WARPS, kThreads = 32 * WARPS;

/// { Q: kRows, K: BN, V: BN } rows.
extern __shared__ __align__(16) unsigned char shared[];

/// Rows first .. first + Rows - 1 of a head to a tile, zeros where there are none.
template <int Rows>
__device__ __forceinline__ void load_tile(unsigned char* tile, HeadRows<const DTYPE> from, int first, int end,
                                          int depth) {
  for (int at = static_cast<int>(threadIdx.x); at < Rows * kRowChunks; at += kThreads) {
    const int row = at / kRowChunks, chunk = at % kRowChunks;
    Words numbers = {};
    if (first + row < end && chunk * 8 < depth)
      numbers = *reinterpret_cast<const Words*>(from.row(first + row) + chunk * 8);
    *reinterpret_cast<Words*>(tile + Place::offset(row, chunk)) = numbers;
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    attention(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
              DTYPE* __restrict__ O, float* __restrict__ LSE, int heads, int kv_heads, int queries, int keys,
              int depth, float softcap) {
  const QueryTile tile(static_cast<int>(blockIdx.x), kRows, heads, kv_heads, queries);
  const HeadRows<const DTYPE> k = rows_of(K, tile.b, tile.kv_head, kv_heads, keys, depth);
  const HeadRows<const DTYPE> v = rows_of(V, tile.b, tile.kv_head, kv_heads, keys, depth);
  unsigned char *tile_q = shared, *tile_k = tile_q + kRows * Place::kRowStride, *tile_v = tile_k + BN * Place::kRowStride;
  const ScoreScale scale(depth, softcap);
  const float to_log2 = scale.to_log2;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own = tile.first + 16 * warp;  // the warp's first query
  const int visible[2] = {visible_keys(own + lane / 4, queries, keys), visible_keys(own + lane / 4 + 8, queries, keys)};
  const int last = tile.first + kRows < queries ? tile.first + kRows - 1 : queries - 1;
  const int end = visible_keys(last, queries, keys);
  // Of a window: where each row's begins, and the block's first one.
  const int begin[2] = {first_visible(visible[0]), first_visible(visible[1])};
  const int begin_tile = first_visible(visible_keys(tile.first, queries, keys)) / BN;

  load_tile<kRows>(tile_q, rows_of(Q, tile.b, tile.head, heads, queries, depth), tile.first, queries, depth);
  OnlineSoftmax softmax;
  float o[kOutputs] = {};
  for (int first = begin_tile * BN; first < end; first += BN) {
    __syncthreads();  // the tiles before are not needed any more
    load_tile<BN>(tile_k, k, first, keys, depth);
    load_tile<BN>(tile_v, v, first, keys, depth);
    __syncthreads();
    float s[BN / 2] = {};
#pragma unroll
    for (int step = 0; step < kDepthSteps; ++step) {
      unsigned q[4];
      load_query<Place>(q, shared_address(tile_q), 16 * warp, step);
      multiply_keys<Place, BN>(s, q, shared_address(tile_k), step);
    }
    scale.cap_all(s);
    mask_tile(s, first, visible);
    if (WINDOW > 0) mask_before(s, first, begin);
    float shrink[2];
    softmax.advance(s, to_log2, shrink);
    scale_rows(o, shrink);
    multiply_values<Place, BN>(o, s, shared_address(tile_v));
  }

  float factor[2], lse[2];
  softmax.finish(factor, lse);
  scale_rows(o, factor);
  write_rows(o, lse, rows_of(O, tile.b, tile.head, heads, queries, depth),
             LSE + (static_cast<long long>(tile.b) * heads + tile.head) * queries, own, queries, depth);
}
