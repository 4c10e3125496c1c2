// Rung 9, split_kv: few queries, many keys (decoding). The keys are shared out over the whole device.
//
// Idea      with one query a sequence there is nothing to multiply for: attention is as fast as keys and values come
//           from memory. Three things make them come:
//           * SPLITS blocks share the keys of a head of keys; each leaves its O, its largest score and its sum, and a
//             second launch joins them, with the same exp(m - m') that joins tiles (README.md). Without it a sequence
//             has as many blocks as heads of keys: 8 of 132 multiprocessors;
//           * the heads of queries that share a head of keys are rows of one 16-row tile (and so are several queries):
//             keys and values are read once, not once a head;
//           * each warp has a ring of its own, of STAGES times BN keys and values, filled by cp.async: no barrier of
//             the block in the loop, and STAGES - 1 tiles of every warp on their way. An H200 wants some 48 KB in
//             flight a multiprocessor.
// Parameters SPLITS; WARPS a block, which take tiles of keys alternately; BN keys a tile; STAGES.
// Expects   bf16 or fp16; depth a multiple of 8. More than 16 rows (queries times heads / kv_heads) are further blocks,
//           which read the keys again: for many queries take the rungs before.
// Operations K and V once; SPLITS (depth + 2) 4 bytes a row written and read again.
// Counted   see README.md.
// Lacks     pages: keys that lie in pieces; sequences of several lengths; a join within the first launch.
// Measured  not measured.
#include "common/sm80/cp_async.cuh"
#include "mma_tile.cuh"
#include "softcap.cuh"
#include "window.cuh"

using Place = sm80::Swizzle<kRowBytes>;
constexpr int kThreads = 32 * WARPS;
constexpr int kTileBytes = BN * kRowBytes;

/// WARPS x STAGES x { K, V: BN rows each }, then Q: 16 rows. Afterwards WARPS x 16 x DEPTH floats.
extern __shared__ __align__(128) unsigned char shared[];

/// What a part of the keys gives for a row: the largest score (as a power of 2) and the sum of exp2(score - largest).
struct Part {
  float largest, sum;
};

/// What a part's sums are multiplied with when the largest of all is `largest`; 0 for a part that saw nothing.
__device__ __forceinline__ float share_of(Part part, float largest) {
  return part.largest == -infinity() ? 0.0f : exp2_fast(part.largest - largest);
}

/// Joins the parts of a row: sums[p * stride] of each. Returns O, not divided, and the row's own part.
template <typename PartAt>
__device__ __forceinline__ float join(const float* sums, long long stride, int parts, PartAt part_at, Part& all) {
  all = {-infinity(), 0.0f};
  for (int p = 0; p < parts; ++p) all.largest = fmaxf(all.largest, part_at(p).largest);
  float sum = 0.0f;
  for (int p = 0; p < parts; ++p) {
    const Part part = part_at(p);
    const float share = share_of(part, all.largest);
    all.sum += share * part.sum;
    sum += share * sums[p * stride];
  }
  return sum;
}

__device__ __forceinline__ float lse_of(Part all) {
  return all.sum == 0.0f ? -infinity() : all.largest / kLog2e + logf(all.sum);
}

/// The 16 rows of a block: row r is query i of head `head`, where there is one.
struct PackedRows {
  int first, group, kv_head, queries;
  __device__ __forceinline__ int query(int r) const { return (first + r) / group; }
  __device__ __forceinline__ int head(int r) const { return kv_head * group + (first + r) % group; }
  __device__ __forceinline__ bool has(int r) const { return query(r) < queries; }
};

extern "C" __global__ void __launch_bounds__(kThreads)
    attention(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
              DTYPE* __restrict__ O, float* __restrict__ LSE, float* __restrict__ sums, Part* __restrict__ parts,
              int heads, int kv_heads, int queries, int keys, int depth, int keys_of_split, float softcap) {
  __shared__ Part of_warps[WARPS][16];
  const int split = static_cast<int>(blockIdx.x) % SPLITS, z = static_cast<int>(blockIdx.x) / SPLITS;
  const int b = z / kv_heads;
  const PackedRows rows{16 * static_cast<int>(blockIdx.y), heads / kv_heads, z % kv_heads, queries};
  const HeadRows<const DTYPE> k = rows_of(K, b, rows.kv_head, kv_heads, keys, depth);
  const HeadRows<const DTYPE> v = rows_of(V, b, rows.kv_head, kv_heads, keys, depth);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int least_key = first_visible(visible_keys(0, queries, keys));  // that any query sees
  const int begin = least_key + split * keys_of_split, end = keys - begin < keys_of_split ? keys : begin + keys_of_split;
  const int tiles = end > begin ? (end - begin + BN - 1) / BN : 0, own = (tiles - warp + WARPS - 1) / WARPS;

  const unsigned ring = shared_address(shared) + warp * STAGES * 2 * kTileBytes;
  const unsigned tile_q = shared_address(shared) + WARPS * STAGES * 2 * kTileBytes;
  const auto copy_stage = [&](int j) {  // tile j of this warp, by the warp; an empty group beyond the last
    if (j < own) {
      const unsigned stage = ring + j % STAGES * 2 * kTileBytes;
      const int first = begin + (j * WARPS + warp) * BN;
#pragma unroll
      for (int at = lane; at < BN * kRowChunks; at += 32) {
        const int row = at / kRowChunks, chunk = at % kRowChunks;
        const bool there = first + row < end && chunk * 8 < depth;
        const unsigned to = stage + Place::offset(row, chunk);
        sm80::cp_async_16(to, there ? k.row(first + row) + chunk * 8 : k.first, there);
        sm80::cp_async_16(to + kTileBytes, there ? v.row(first + row) + chunk * 8 : v.first, there);
      }
    }
    sm80::cp_async_commit();
  };
  for (int at = static_cast<int>(threadIdx.x); at < 16 * kRowChunks; at += kThreads) {
    const int r = at / kRowChunks, chunk = at % kRowChunks;
    const bool there = rows.has(r) && chunk * 8 < depth;
    const DTYPE* from = there ? rows_of(Q, b, rows.head(r), heads, queries, depth).row(rows.query(r)) + chunk * 8 : Q;
    sm80::cp_async_16(tile_q + Place::offset(r, chunk), from, there);
  }
  sm80::cp_async_commit();
  for (int j = 0; j < STAGES - 1; ++j) copy_stage(j);
  sm80::cp_async_wait<STAGES - 1>();
  __syncthreads();
  unsigned q[kDepthSteps][4];
#pragma unroll
  for (int step = 0; step < kDepthSteps; ++step) load_query<Place>(q[step], tile_q, 0, step);

  const ScoreScale scale(depth, softcap);
  const float to_log2 = scale.to_log2;
  const int r0 = lane / 4;
  const int seen[2] = {visible_keys(rows.query(r0), queries, keys), visible_keys(rows.query(r0 + 8), queries, keys)};
  const int visible[2] = {seen[0] < end ? seen[0] : end, seen[1] < end ? seen[1] : end};
  const int least = visible_keys(rows.query(0), queries, end);
  const int begins[2] = {first_visible(seen[0]), first_visible(seen[1])};  // of a window
  OnlineSoftmax softmax;
  float o[kOutputs] = {};
#pragma unroll 1
  for (int j = 0; j < own; ++j) {
    copy_stage(j + STAGES - 1);  // where tile j - 1 was
    sm80::cp_async_wait<STAGES - 1>();
    __syncwarp();
    const unsigned stage = ring + j % STAGES * 2 * kTileBytes;
    const int first = begin + (j * WARPS + warp) * BN;
    float s[BN / 2] = {};
#pragma unroll
    for (int step = 0; step < kDepthSteps; ++step) multiply_keys<Place, BN>(s, q[step], stage, step);
    scale.cap_all(s);
    if (CAUSAL || first + BN > least) mask_tile(s, first, visible);
    if (WINDOW > 0) mask_before(s, first, begins);
    float shrink[2];
    softmax.advance(s, to_log2, shrink);
    scale_rows(o, shrink);
    multiply_values<Place, BN>(o, s, stage + kTileBytes);
    __syncwarp();  // all lanes are done with the tile
  }

  // The warps' parts meet in shared memory, where the rings were.
  __syncthreads();
  float* of_block = reinterpret_cast<float*>(shared);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float sum = over_quad(softmax.sum[r], [](float a, float c) { return a + c; });
    if (lane % 4 == 0) of_warps[warp][r0 + 8 * r] = {softmax.largest[r], sum};
#pragma unroll
    for (int i = 2 * r; i < kOutputs; i += 4) {
      float* to = of_block + (warp * 16 + r0 + 8 * r) * DEPTH + i / 4 * 8 + lane % 4 * 2;
      to[0] = o[i], to[1] = o[i + 1];
    }
  }
  __syncthreads();
  const long long all_rows = static_cast<long long>(gridDim.x / SPLITS / kv_heads) * heads * queries;
  for (int at = static_cast<int>(threadIdx.x); at < 16 * DEPTH; at += kThreads) {
    const int r = at / DEPTH, d = at % DEPTH;
    if (!rows.has(r) || d >= depth) continue;
    Part all;
    const float sum = join(of_block + at, 16 * DEPTH, WARPS, [&](int w) { return of_warps[w][r]; }, all);
    const long long row = (static_cast<long long>(b) * heads + rows.head(r)) * queries + rows.query(r);
    if (SPLITS == 1) {
      const float factor = all.sum == 0.0f ? 0.0f : 1.0f / all.sum;
      rows_of(O, b, rows.head(r), heads, queries, depth).row(rows.query(r))[d] = from_float<DTYPE>(sum * factor);
      if (d == 0) LSE[row] = lse_of(all);
    } else {
      sums[(split * all_rows + row) * depth + d] = sum;
      if (d == 0) parts[split * all_rows + row] = all;
    }
  }
}

/// A block a row: joins what the splits have left.
extern "C" __global__ void __launch_bounds__(128)
    combine(const float* __restrict__ sums, const Part* __restrict__ parts, DTYPE* __restrict__ O,
            float* __restrict__ LSE, int heads, int queries, int depth) {
  const long long row = blockIdx.x, all_rows = gridDim.x;
  const int i = static_cast<int>(row % queries), z = static_cast<int>(row / queries);
  DTYPE* o = rows_of(O, z / heads, z % heads, heads, queries, depth).row(i);
  for (int d = static_cast<int>(threadIdx.x); d < depth; d += 128) {
    Part all;
    const float sum = join(sums + row * depth + d, all_rows * depth, SPLITS,
                           [&](int split) { return parts[split * all_rows + row]; }, all);
    o[d] = from_float<DTYPE>(sum * (all.sum == 0.0f ? 0.0f : 1.0f / all.sum));
    if (d == 0) LSE[row] = lse_of(all);
  }
}
