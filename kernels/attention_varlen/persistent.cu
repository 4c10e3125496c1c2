// Rung 1, persistent: tensor cores (mma.sync), cp.async; tiles of all sequences dealt out to persistent CTAs.
//
// Idea      a grid over (longest sequence) x batch would be mostly empty blocks. Here a block first counts the tiles of
//           16 WARPS queries before each sequence, in shared memory; then it takes one after another from a counter in
//           memory, so that a block whose tile has few keys takes more of them. Within a tile it is
//           kernels/attention/flash2: a ring of STAGES tiles of keys and values by cp.async, swizzled, scores in
//           registers, softmax on the way. A tile of keys that hangs over the end of its sequence is filled up with
//           zeros, not with the next sequence's: 0 times what is no number there would be NaN.
// Parameters WARPS, 16 queries each; BN keys a tile; STAGES; BLOCKS a multiprocessor.
// Expects   bf16 or fp16; depth a multiple of 8. Any lengths, none among them.
// Operations global: K and V once for every 16 WARPS queries of a sequence. An atomic a tile.
// Counted   two sequences of 256 places, depth 128, bf16, one head, on emu:h200: 1,196,264 bytes loaded, 67,108,864 FLOPs
//           on tensor cores, as predicted, 18 atomics: 8 tiles and the end for each of 10 blocks.
// Gains     no work but for pairs of one sequence: of a power law of lengths padding would be most of it.
// Lacks     wgmma and TMA: a box of TMA reads on into the next sequence's values, and its stores would overwrite the
//           next one's rows. Q is read from shared memory at each step: in registers, as in flash2, it spills.
#include "attention/mma_tile.cuh"
#include "common/sm80/cp_async.cuh"
#include "tile_table.cuh"

using Place = sm80::Swizzle<kRowBytes>;
constexpr int kRows = 16 * WARPS, kThreads = 32 * WARPS;
constexpr int kTileBytes = BN * kRowBytes;

/// STAGES x { K, V: BN rows each }, then Q: kRows rows, then the table: batch + 1 numbers.
extern __shared__ __align__(128) unsigned char shared[];

/// Rows first .. first + Rows - 1 of a head begin to move to a tile, zeros from row `end` on.
template <int Rows>
__device__ __forceinline__ void copy_tile(unsigned tile, HeadRows<const DTYPE> from, int first, int end, int depth) {
#pragma unroll
  for (int pass = 0; pass < (Rows * kRowChunks + kThreads - 1) / kThreads; ++pass) {
    const int at = pass * kThreads + static_cast<int>(threadIdx.x);
    if (Rows * kRowChunks % kThreads != 0 && at >= Rows * kRowChunks) break;
    const int row = at / kRowChunks, chunk = at % kRowChunks;
    const bool there = first + row < end && chunk * 8 < depth;
    sm80::cp_async_16(tile + Place::offset(row, chunk), there ? from.row(first + row) + chunk * 8 : from.first, there);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    attention(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
              const int* __restrict__ query_offsets, const int* __restrict__ key_offsets, DTYPE* __restrict__ O,
              float* __restrict__ LSE, int* __restrict__ next, int batch, int heads, int kv_heads, int queries,
              int depth) {
  __shared__ int sums[WARPS], taken;
  const unsigned stages = shared_address(shared), tile_q = stages + STAGES * 2 * kTileBytes;
  int* before = reinterpret_cast<int*>(shared + STAGES * 2 * kTileBytes + kRows * kRowBytes);
  count_tiles<kRows, kThreads>(before, sums, query_offsets, batch);
  const int tiles = before[batch] * heads;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const float to_log2 = log2_scale(depth);

#pragma unroll 1
  while (true) {
    if (threadIdx.x == 0) taken = atomicAdd(next, 1);
    __syncthreads();  // and all are done with the tile before
    const int at = taken;
    if (at >= tiles) return;
    const PackedTile tile(at, before, batch, heads, kRows);
    const Sequence sequence(query_offsets, key_offsets, tile.b);
    const int n = sequence.queries, m = sequence.keys, kv_head = tile.head / (heads / kv_heads);
    const HeadRows<const DTYPE> k = packed_rows(K, sequence.first_key, kv_head, kv_heads, depth);
    const HeadRows<const DTYPE> v = packed_rows(V, sequence.first_key, kv_head, kv_heads, depth);
    const int last = tile.first + kRows < n ? tile.first + kRows - 1 : n - 1;
    const int key_tiles = (visible_keys(last, n, m) + BN - 1) / BN;
    const int own = tile.first + 16 * warp;  // the warp's first query, which sees the fewest keys
    const int least = visible_keys(own, n, m);
    const int visible[2] = {visible_keys(own + lane / 4, n, m), visible_keys(own + lane / 4 + 8, n, m)};

    const auto copy_stage = [&](int j) {  // a group of copies, empty beyond the last tile
      if (j < key_tiles) {
        const unsigned stage = stages + j % STAGES * 2 * kTileBytes;
        copy_tile<BN>(stage, k, j * BN, m, depth);
        copy_tile<BN>(stage + kTileBytes, v, j * BN, m, depth);
      }
      sm80::cp_async_commit();
    };
    copy_tile<kRows>(tile_q, packed_rows(Q, sequence.first_query, tile.head, heads, depth), tile.first, n, depth);
    for (int j = 0; j < STAGES - 1; ++j) copy_stage(j);  // Q is in the first group

    OnlineSoftmax softmax;
    float o[kOutputs] = {};
#pragma unroll 1
    for (int j = 0; j < key_tiles; ++j) {
      sm80::cp_async_wait<STAGES - 2>();
      __syncthreads();  // tile j is there for all, and all are done with tile j - 1
      copy_stage(j + STAGES - 1);
      const unsigned stage = stages + j % STAGES * 2 * kTileBytes;
      float s[BN / 2] = {};
#pragma unroll 2  // more of them only keep more addresses in registers
      for (int step = 0; step < kDepthSteps; ++step) {
        unsigned q[4];
        load_query<Place>(q, tile_q, 16 * warp, step);
        multiply_keys<Place, BN>(s, q, stage, step);
      }
      if ((j + 1) * BN > least) mask_tile(s, j * BN, visible);
      float shrink[2];
      softmax.advance(s, to_log2, shrink);
      scale_rows(o, shrink);
      multiply_values<Place, BN>(o, s, stage + kTileBytes);
    }
    sm80::cp_async_wait<0>();
    __syncthreads();  // `taken` was read, and the ring is free

    float factor[2], lse[2];
    softmax.finish(factor, lse);
    scale_rows(o, factor);
    write_rows(o, lse, packed_rows(O, sequence.first_query, tile.head, heads, depth),
               LSE + static_cast<long long>(tile.head) * queries + sequence.first_query, own, n, depth);
  }
}
