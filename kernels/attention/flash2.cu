// Rung 3, flash2: the same, fed without pause: cp.async, swizzle, Q in registers. What FlashAttention-2 does on sm_80.
//
// Idea      * STAGES tiles of K and V in shared memory: cp.async fills the oldest one past the registers while another
//             is multiplied; one barrier a tile.
//           * chunks of 16 bytes are swizzled instead of rows padded: no gaps, no bank conflicts on either side.
//           * Q stays in registers, as DEPTH / 16 fragments: a ninth of what ldmatrix had to read is not read.
//           * only tiles that hang over the end of the keys or the causal edge are masked; those beyond it are skipped.
//           * of a window only the tiles that some query of the block sees.
//           * the exponential is one fma and one ex2 a score, with log2(e) / sqrt(depth) folded in (rung 2 has it too).
// Parameters WARPS, 16 queries each; BN keys a tile; STAGES.
// Expects   as rung 2.
// Operations as rung 2, and Q once.
// Counted   512 x 512, depth 128, bf16, one head, on emu:h200: 2,228,224 bytes loaded, 8,519,680 from shared memory in
//           83,968 wavefronts, the least that there are: as predicted.
// Gains     overlap of copies with products.
// Lacks     wgmma, which reads shared memory itself and is the only way to the full rate of an H200's tensor cores; and
//           while a warp takes exponentials its share of the tensor cores idles, unless another warp is there.
// Measured  an H100 (80 GB HBM3), bf16, 4 x 16 x 4096 x 128: 2626 us full, 1309 us causal (209, 210 TFLOP/s): at these
//           parameters slower than mma where nothing is masked; why was not looked into, nor what tuning gives.
#include "common/sm80/cp_async.cuh"
#include "mma_tile.cuh"
#include "softcap.cuh"
#include "window.cuh"

using Place = sm80::Swizzle<kRowBytes>;
using PlaceOfValues = sm80::Swizzle<VALUE_DEPTH * DTYPE_BYTES>;
constexpr int kRows = 16 * WARPS, kThreads = 32 * WARPS;
constexpr int kKeysBytes = BN * kRowBytes, kStageBytes = kKeysBytes + BN * VALUE_DEPTH * DTYPE_BYTES;

/// STAGES x { K, V: BN rows each }, then Q: kRows rows.
extern __shared__ __align__(128) unsigned char shared[];

/// Rows first .. first + Rows - 1 of a head begin to move to a tile, zeros where there are none.
template <int Rows, typename At>
__device__ __forceinline__ void copy_tile(unsigned tile, HeadRows<const DTYPE> from, int first, int end, int depth) {
  constexpr int kChunks = At::kChunks;  // of a row
#pragma unroll
  for (int pass = 0; pass < (Rows * kChunks + kThreads - 1) / kThreads; ++pass) {
    const int at = pass * kThreads + static_cast<int>(threadIdx.x);
    if (Rows * kChunks % kThreads != 0 && at >= Rows * kChunks) break;
    const int row = at / kChunks, chunk = at % kChunks;
    const bool there = first + row < end && chunk * 8 < depth;
    sm80::cp_async_16(tile + At::offset(row, chunk), there ? from.row(first + row) + chunk * 8 : from.first, there);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    attention(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
              DTYPE* __restrict__ O, float* __restrict__ LSE, int heads, int kv_heads, int queries, int keys, int depth,
              int depth_of_values, float softcap) {
  const int v_depth = APART ? depth_of_values : depth;  // one number where they are the same: registers
  const QueryTile tile(static_cast<int>(blockIdx.x), kRows, heads, kv_heads, queries);
  const HeadRows<const DTYPE> k = rows_of(K, tile.b, tile.kv_head, kv_heads, keys, depth);
  const HeadRows<const DTYPE> v = rows_of(V, tile.b, tile.kv_head, kv_heads, keys, v_depth);
  const ScoreScale scale(depth, softcap);
  const float to_log2 = scale.to_log2;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own = tile.first + 16 * warp;  // the warp's first query, which sees the fewest keys
  const int least = visible_keys(own, queries, keys);
  const int visible[2] = {visible_keys(own + lane / 4, queries, keys), visible_keys(own + lane / 4 + 8, queries, keys)};
  const int last = tile.first + kRows < queries ? tile.first + kRows - 1 : queries - 1;
  const int tiles = (visible_keys(last, queries, keys) + BN - 1) / BN;
  // Of a window: where each row's begins, and the tile with the first of the block's; the warp's last query begins last.
  const int begin[2] = {first_visible(visible[0]), first_visible(visible[1])};
  const int begin_tile = first_visible(visible_keys(tile.first, queries, keys)) / BN;
  const int latest = first_visible(visible_keys(own + 15, queries, keys));

  const unsigned stages = shared_address(shared), tile_q = stages + STAGES * kStageBytes;
  const auto copy_stage = [&](int j) {  // a group of copies, empty beyond the last tile
    if (j < tiles) {
      const unsigned stage = stages + j % STAGES * kStageBytes;
      copy_tile<BN, Place>(stage, k, j * BN, keys, depth);
      copy_tile<BN, PlaceOfValues>(stage + kKeysBytes, v, j * BN, keys, v_depth);
    }
    sm80::cp_async_commit();
  };
  copy_tile<kRows, Place>(tile_q, rows_of(Q, tile.b, tile.head, heads, queries, depth), tile.first, queries, depth);
  sm80::cp_async_commit();
  for (int j = 0; j < STAGES - 1; ++j) copy_stage(begin_tile + j);
  sm80::cp_async_wait<STAGES - 1>();
  __syncthreads();
  unsigned q[kDepthSteps][4];
#pragma unroll
  for (int step = 0; step < kDepthSteps; ++step) load_query<Place>(q[step], tile_q, 16 * warp, step);

  OnlineSoftmax softmax;
  float o[VALUE_DEPTH / 2] = {};
#pragma unroll 1
  for (int j = begin_tile; j < tiles; ++j) {
    sm80::cp_async_wait<STAGES - 2>();
    __syncthreads();  // tile j is there for all, and all are done with tile j - 1
    copy_stage(j + STAGES - 1);
    const unsigned stage = stages + j % STAGES * kStageBytes;
    float s[BN / 2] = {};
#pragma unroll
    for (int step = 0; step < kDepthSteps; ++step) multiply_keys<Place, BN>(s, q[step], stage, step);
    scale.cap_all(s);
    if ((j + 1) * BN > least) mask_tile(s, j * BN, visible);
    if (WINDOW > 0 && j * BN < latest) mask_before(s, j * BN, begin);
    float shrink[2];
    softmax.advance(s, to_log2, shrink);
    scale_rows(o, shrink);
    multiply_values<PlaceOfValues, BN>(o, s, stage + kKeysBytes);
  }

  float factor[2], lse[2];
  softmax.finish(factor, lse);
  scale_rows(o, factor);
  write_rows(o, lse, rows_of(O, tile.b, tile.head, heads, queries, v_depth),
             LSE + (static_cast<long long>(tile.b) * heads + tile.head) * queries, own, queries, v_depth);
}
