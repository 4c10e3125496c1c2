// Rung 2, packed: tensor cores (mma.sync), the heads that share keys in one tile. Rung 3, cluster: the same in one launch.
//
// Idea      with one query a sequence there is nothing to multiply for: attention is as fast as keys and values come
//           from memory. Three things make them come:
//           * the heads of queries that share a head of keys are rows of one 16-row tile (and so are several queries):
//             keys and values are read once, not once a head;
//           * SPLITS blocks share the keys of a head of keys;
//           * each warp has a ring of its own, of STAGES times BN keys and values, filled by cp.async: no barrier of
//             the block in the loop, STAGES - 1 tiles of every warp on their way. A tile lies in one page, whose number is
//             asked for a tile ahead, by one lane.
//           The splits' parts meet in memory, in a second launch (packed); or they are a cluster, each block of which joins
//           its share of the columns out of the others' shared memory (cluster): no second launch, no parts in memory.
// Parameters SPLITS, of cluster at most 8; WARPS a block, which take tiles of keys by turns; BN keys a tile; STAGES.
// Expects   bf16 or fp16; depth a multiple of 8; pages a multiple of BN. More than 16 rows (queries times heads / kv_heads)
//           are further blocks, which read the keys again.
// Operations K and V once; of packed SPLITS (depth + 2) 4 bytes a row, written and read again.
// Lacks     shares of equal work where sequences differ in length; clusters of 16 (non-portable); fp8.
// Measured  not measured.
#include "attention/mma_tile.cuh"
#include "cache.cuh"
#include "combine.cuh"
#include "common/sm80/cp_async.cuh"
#if CLUSTER
#include "common/sm90/cluster.cuh"
#endif

using Place = sm80::Swizzle<kRowBytes>;
constexpr int kThreads = 32 * WARPS;
constexpr int kTileBytes = BN * kRowBytes;
constexpr int kPitch = DEPTH + 8;  // floats between rows of O in shared memory: the rows of a warp meet in no bank

/// WARPS x STAGES x { K, V: BN rows each }, then Q: 16 rows. Afterwards WARPS x 16 x kPitch floats.
extern __shared__ __align__(128) unsigned char shared[];

/// The 16 rows of a block: row r is query `query(r)` of head `head(r)`, where there is one.
struct PackedRows {
  int first, group, b, kv_head, heads, queries;
  __device__ __forceinline__ int query(int r) const { return (first + r) / group; }
  __device__ __forceinline__ int head(int r) const { return kv_head * group + (first + r) % group; }
  __device__ __forceinline__ bool has(int r) const { return query(r) < queries; }
  /// Its number in Q and O.
  __device__ __forceinline__ long long row(int r) const {
    return (static_cast<long long>(b) * queries + query(r)) * heads + head(r);
  }
};

/// Where the part of a row goes: to O, to the parts of all splits, or nowhere yet.
struct Outputs {
  DTYPE* O;
  float *LSE, *sums;
  Part* parts;
  int depth;

  __device__ __forceinline__ void finish(const PackedRows& rows, int r, int d, float sum, Part all) const {
    O[rows.row(r) * depth + d] = from_float<DTYPE>(sum * factor_of(all));
    if (d == 0) LSE[(static_cast<long long>(rows.b) * rows.heads + rows.head(r)) * rows.queries + rows.query(r)] = lse_of(all);
  }
  __device__ __forceinline__ void leave(long long place, int d, float sum, Part all) const {
    sums[place * depth + d] = sum;
    if (d == 0) parts[place] = all;
  }
};

#if CLUSTER
__device__ __forceinline__ float float_at_rank(const void* here, unsigned rank) {
  float value;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(map_to_rank(shared_address(here), rank)) : "memory");
  return value;
}

/// Block `split` joins every SPLITS-th number of O; `of_block` and `of_rows` are each block's own sums and parts. All
/// threads of the cluster call it; its barriers keep blocks from reading too early and from ending too early.
__device__ __forceinline__ void join_in_cluster(const PackedRows& rows, const Outputs& to, const float* of_block,
                                                const Part* of_rows, int split) {
  cluster_sync();
  for (int at = static_cast<int>(threadIdx.x) * SPLITS + split; at < 16 * DEPTH; at += kThreads * SPLITS) {
    const int r = at / DEPTH, d = at % DEPTH;
    if (!rows.has(r) || d >= to.depth) continue;
    Part parts[SPLITS], all;
#pragma unroll
    for (int p = 0; p < SPLITS; ++p)
      parts[p] = {float_at_rank(&of_rows[r].largest, p), float_at_rank(&of_rows[r].sum, p)};
    const float sum = join(SPLITS, [&](int p) { return parts[p]; }, [&](int p) { return float_at_rank(of_block + r * kPitch + d, p); }, all);
    to.finish(rows, r, d, sum, all);
  }
  cluster_sync();
}
#endif

extern "C" __global__ void __launch_bounds__(kThreads)
    decode(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
           const int* __restrict__ length, const int* __restrict__ table, DTYPE* __restrict__ O, float* __restrict__ LSE,
           float* __restrict__ sums, Part* __restrict__ parts, int heads, int kv_heads, int queries, int keys, int depth,
           int page) {
  __shared__ Part of_warps[WARPS][16], of_rows[16];
  const int split = static_cast<int>(blockIdx.x % SPLITS), z = static_cast<int>(blockIdx.x / SPLITS);
  const int b = z / kv_heads;
  const PackedRows rows{16 * static_cast<int>(blockIdx.y), heads / kv_heads, b, z % kv_heads, heads, queries};
  const Cache cache(table, b, rows.kv_head, kv_heads, keys, depth, page);
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const int mine = length[b];
  // Splits of whole rounds of tiles, of the keys that this sequence has.
  const int rounds = (mine + BN * WARPS - 1) / (BN * WARPS), each = (rounds + SPLITS - 1) / SPLITS * (BN * WARPS);
  const int begin = split * each, end = mine - begin < each ? mine : begin + each;
  const int tiles = end > begin ? (end - begin + BN - 1) / BN : 0, own = (tiles - warp + WARPS - 1) / WARPS;
  const auto first_of = [&](int j) { return begin + (j * WARPS + warp) * BN; };
  const auto page_of = [&](int j) {  // lane 0 asks; the others learn it when they need it
    return lane == 0 && j < own ? cache.page_of(first_of(j)) : 0;
  };

  const unsigned ring = shared_address(shared) + warp * STAGES * 2 * kTileBytes;
  const unsigned tile_q = shared_address(shared) + WARPS * STAGES * 2 * kTileBytes;
  int next_page = page_of(0);
  const auto copy_stage = [&](int j) {  // tile j of this warp, by the warp; an empty group beyond the last
    if (j < own) {
      const unsigned stage = ring + j % STAGES * 2 * kTileBytes;
      const int first = first_of(j);
      const long long origin = cache.offset(__shfl_sync(0xffffffffU, next_page, 0), first);
      next_page = page_of(j + 1);
#pragma unroll
      for (int at = lane; at < BN * kRowChunks; at += 32) {
        const int row = at / kRowChunks, chunk = at % kRowChunks;
        const bool there = first + row < end && chunk * 8 < depth;
        const unsigned place = stage + Place::offset(row, chunk);
        const long long from = there ? origin + static_cast<long long>(row) * kv_heads * depth + chunk * 8 : 0;
        sm80::cp_async_16(place, K + from, there);
        sm80::cp_async_16(place + kTileBytes, V + from, there);
      }
    }
    sm80::cp_async_commit();
  };
  for (int at = static_cast<int>(threadIdx.x); at < 16 * kRowChunks; at += kThreads) {
    const int r = at / kRowChunks, chunk = at % kRowChunks;
    const bool there = rows.has(r) && chunk * 8 < depth;
    sm80::cp_async_16(tile_q + Place::offset(r, chunk), there ? Q + rows.row(r) * depth + chunk * 8 : Q, there);
  }
  sm80::cp_async_commit();
  for (int j = 0; j < STAGES - 1; ++j) copy_stage(j);
  sm80::cp_async_wait<STAGES - 1>();
  __syncthreads();
  unsigned q[kDepthSteps][4];
#pragma unroll
  for (int step = 0; step < kDepthSteps; ++step) load_query<Place>(q[step], tile_q, 0, step);

  const float to_log2 = log2_scale(depth);
  const int r0 = lane / 4;
  const int seen[2] = {visible_keys(rows.query(r0), queries, mine), visible_keys(rows.query(r0 + 8), queries, mine)};
  const int visible[2] = {seen[0] < end ? seen[0] : end, seen[1] < end ? seen[1] : end};
  const int least = visible_keys(rows.query(0), queries, mine) < end ? visible_keys(rows.query(0), queries, mine) : end;
  OnlineSoftmax softmax;
  float o[kOutputs] = {};
#pragma unroll 1
  for (int j = 0; j < own; ++j) {
    copy_stage(j + STAGES - 1);  // where tile j - 1 was
    sm80::cp_async_wait<STAGES - 1>();
    __syncwarp();
    const unsigned stage = ring + j % STAGES * 2 * kTileBytes;
    float s[BN / 2] = {};
#pragma unroll
    for (int step = 0; step < kDepthSteps; ++step) multiply_keys<Place, BN>(s, q[step], stage, step);
    if (first_of(j) + BN > least) mask_tile(s, first_of(j), visible);
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
      float* to = of_block + (warp * 16 + r0 + 8 * r) * kPitch + i / 4 * 8 + lane % 4 * 2;
      to[0] = o[i], to[1] = o[i + 1];
    }
  }
  __syncthreads();
  const Outputs to{O, LSE, sums, parts, depth};
  const long long all_rows = static_cast<long long>(gridDim.x / SPLITS / kv_heads) * heads * queries;
  for (int at = static_cast<int>(threadIdx.x); at < 16 * DEPTH; at += kThreads) {
    const int r = at / DEPTH, d = at % DEPTH;
    if (!rows.has(r) || d >= depth) continue;
    Part all;
    const float sum = join(WARPS, [&](int w) { return of_warps[w][r]; },
                           [&](int w) { return of_block[(w * 16 + r) * kPitch + d]; }, all);
    if (SPLITS == 1) {
      to.finish(rows, r, d, sum, all);
    } else if (CLUSTER) {
      of_block[r * kPitch + d] = sum;  // of warp 0, which this thread alone has read
      if (d == 0) of_rows[r] = all;
    } else {
      to.leave(split * all_rows + rows.row(r), d, sum, all);
    }
  }
#if CLUSTER
  if (SPLITS > 1) join_in_cluster(rows, to, of_block, of_rows, split);
#endif
}
