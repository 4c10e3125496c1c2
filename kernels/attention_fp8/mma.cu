// Rung 1, mma: tensor cores on e4m3, mma.sync.m16n8k32; values transposed in registers.
//
// Idea      kernels/attention/flash2 with numbers of one byte: half the bytes, and 32 of k an instruction. Q K^T has
//           both operands along the depth, as ldmatrix leaves them. P V wants V along the keys, four keys a register,
//           where memory has it along the depth, and fp8 has no transposed operand: ldmatrix transposes pairs of
//           bytes, a byte permutation sorts even from odd numbers, and the order of keys that comes of it is the one
//           in which a lane already has the weights. So there is no copy of V and no shuffle (mma_e4m3.cuh).
//           Weights are at most 1; times 256 they use the range of e4m3 (448) down to 2^-17.
// Parameters WARPS, 16 queries each; BN keys a tile; STAGES.
// Expects   depth a multiple of 16 (whole 16 bytes). Any queries and keys: what hangs over is 0, and masked.
// Operations global: K and V once for every 16 WARPS queries.
// Counted   512 x 512, depth 128, one head, on emu:h200: 1,114,112 bytes loaded, half of what flash2 loads of bf16, and
//           134,217,728 FLOPs on tensor cores, as predicted; no bank conflicts, nothing spilled.
// Gains     half of the bytes of 16-bit attention. mma.sync runs e4m3 as fp16 on sm_90, so no more FLOPs a second there.
// Lacks     wgmma, which has twice the rate with e4m3: it reads B from shared memory along k alone, so that V would
//           have to be transposed in shared memory first. Scales for each head or block.
#include "attention/online_row.cuh"
#include "attention/query_tile.cuh"
#include "common/shared_address.cuh"
#include "common/sm80/cp_async.cuh"
#include "common/sm80/swizzle.cuh"
#include "mma_e4m3.cuh"

using Place = sm80::Swizzle<DEPTH>;  // rows of DEPTH bytes
constexpr int kRows = 16 * WARPS, kThreads = 32 * WARPS;
constexpr int kSteps = DEPTH / 32, kChunks = DEPTH / 16, kTileBytes = BN * DEPTH;
constexpr float kWeightScale = 256.0f;

/// STAGES x { K, V: BN rows each }, then Q: kRows rows.
extern __shared__ __align__(128) unsigned char shared[];

/// Rows first .. first + Rows - 1 of a head begin to move to a tile, zeros where there are none.
template <int Rows>
__device__ __forceinline__ void copy_tile(unsigned tile, HeadRows<const DTYPE> from, int first, int end, int depth) {
#pragma unroll
  for (int pass = 0; pass < (Rows * kChunks + kThreads - 1) / kThreads; ++pass) {
    const int at = pass * kThreads + static_cast<int>(threadIdx.x);
    if (Rows * kChunks % kThreads != 0 && at >= Rows * kChunks) break;
    const int row = at / kChunks, chunk = at % kChunks;
    const bool there = first + row < end && chunk * 16 < depth;
    sm80::cp_async_16(tile + Place::offset(row, chunk), there ? from.row(first + row) + chunk * 16 : from.first, there);
  }
}

/// Four neighbouring accumulators: a 16 x 8 tile.
__device__ __forceinline__ float (&tile_at(float* accumulators, int tile))[4] {
  return *reinterpret_cast<float(*)[4]>(accumulators + 4 * tile);
}

/// s = Q K^T, of the warp's 16 queries and a tile of BN keys.
__device__ __forceinline__ void multiply_keys(float (&s)[BN / 2], unsigned queries, unsigned keys) {
  const int lane = static_cast<int>(threadIdx.x) % 32, own = static_cast<int>(threadIdx.x) / 32 * 16;
#pragma unroll 2  // more of them only keep more addresses in registers
  for (int step = 0; step < kSteps; ++step) {
    unsigned q[4];
    sm80::ldmatrix_x4(q, queries + Place::offset(own + lane % 16, 2 * step + lane / 16));
#pragma unroll
    for (int j = 0; j < BN / 16; ++j) {
      unsigned k[4];
      sm80::ldmatrix_x4(k, keys + Place::offset(16 * j + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
      mma_e4m3(tile_at(s, 2 * j), q, k[0], k[1]);
      mma_e4m3(tile_at(s, 2 * j + 1), q, k[2], k[3]);
    }
  }
}

/// o += P V. Of 16 numbers a lane has two tiles: the even ones and the odd ones.
__device__ __forceinline__ void multiply_values(float (&o)[DEPTH / 2], const float (&p)[BN / 2], unsigned tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int step = 0; step < BN / 32; ++step) {
    unsigned a[4];
    pack_weights_e4m3(a, p, step);
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      const ValuesTile v(tile + Place::offset(32 * step + lane, chunk));
      mma_e4m3(tile_at(o, 2 * chunk), a, v.even[0], v.even[1]);
      mma_e4m3(tile_at(o, 2 * chunk + 1), a, v.odd[0], v.odd[1]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    attention(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
              bf16_t* __restrict__ O, float* __restrict__ LSE, int heads, int kv_heads, int queries, int keys, int depth,
              float q_scale, float k_scale, float v_scale) {
  const QueryTile tile(static_cast<int>(blockIdx.x), kRows, heads, kv_heads, queries);
  const HeadRows<const DTYPE> k = rows_of(K, tile.b, tile.kv_head, kv_heads, keys, depth);
  const HeadRows<const DTYPE> v = rows_of(V, tile.b, tile.kv_head, kv_heads, keys, depth);
  const float scale = q_scale * k_scale, to_log2 = log2_scale(depth) * fabsf(scale);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own = tile.first + 16 * warp;  // the warp's first query, which sees the fewest keys
  const int least = visible_keys(own, queries, keys);
  const int visible[2] = {visible_keys(own + lane / 4, queries, keys), visible_keys(own + lane / 4 + 8, queries, keys)};
  const int last = tile.first + kRows < queries ? tile.first + kRows - 1 : queries - 1;
  const int tiles = (visible_keys(last, queries, keys) + BN - 1) / BN;

  const unsigned stages = shared_address(shared), tile_q = stages + STAGES * 2 * kTileBytes;
  const auto copy_stage = [&](int j) {  // a group of copies, empty beyond the last tile
    if (j < tiles) {
      const unsigned stage = stages + j % STAGES * 2 * kTileBytes;
      copy_tile<BN>(stage, k, j * BN, keys, depth);
      copy_tile<BN>(stage + kTileBytes, v, j * BN, keys, depth);
    }
    sm80::cp_async_commit();
  };
  copy_tile<kRows>(tile_q, rows_of(Q, tile.b, tile.head, heads, queries, depth), tile.first, queries, depth);
  for (int j = 0; j < STAGES - 1; ++j) copy_stage(j);  // Q is in the first group

  OnlineSoftmax softmax;
  float o[DEPTH / 2] = {};
#pragma unroll 1
  for (int j = 0; j < tiles; ++j) {
    sm80::cp_async_wait<STAGES - 2>();
    __syncthreads();  // tile j is there for all, and all are done with tile j - 1
    copy_stage(j + STAGES - 1);
    const unsigned stage = stages + j % STAGES * 2 * kTileBytes;
    float s[BN / 2] = {};
    multiply_keys(s, tile_q, stage);
    if (scale < 0.0f)  // a largest score wants a positive factor
#pragma unroll
      for (float& score : s) score = -score;
    if ((j + 1) * BN > least) mask_tile(s, j * BN, visible);
    float shrink[2];
    softmax.advance(s, to_log2, shrink);
    scale_rows(o, shrink);
#pragma unroll
    for (float& weight : s) weight *= kWeightScale;
    multiply_values(o, s, stage + kTileBytes);
  }

  float factor[2], lse[2];
  softmax.finish(factor, lse);
  const HeadRows<bf16_t> rows = rows_of(O, tile.b, tile.head, heads, queries, depth);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int i = own + lane / 4 + 8 * r;
    if (i >= queries) continue;
    const float of_row = factor[r] * (v_scale / kWeightScale);
    bf16_t* row = rows.row(i) + lane % 4 * 4;  // numbers 4 t .. 4 t + 3: even, odd, even, odd
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk)
      if (16 * chunk < depth) {
        const float *even = o + 8 * chunk + 2 * r, *odd = even + 4;
        *reinterpret_cast<uint2*>(row + 16 * chunk) =
            uint2{pack_pair<bf16_t>(even[0] * of_row, odd[0] * of_row), pack_pair<bf16_t>(even[1] * of_row, odd[1] * of_row)};
      }
    if (lane % 4 == 0) LSE[(static_cast<long long>(tile.b) * heads + tile.head) * queries + i] = lse[r];
  }
}
