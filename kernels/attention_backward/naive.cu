// Rung 0, naive: three launches in fp32: the rows' sums, dQ with a warp a query, dK and dV with a warp a key.
//
// Idea      no score is kept: a pair's weight p = exp(s - lse) is made anew from q, k and the lse of the forward pass,
//           without a maximum. For dQ a warp takes 32 keys at a time, one a lane: each lane its ds = p (dO v - delta);
//           then they go round by shuffles and meet the rows of K, whose numbers lie one a lane. For dK and dV the same
//           with a key's k and v, and 32 queries at a time, of every head that shares the key: so nobody else adds to
//           these rows, and the sums come out the same each time.
// Parameters WARPS: rows a block.
// Expects   nothing: any shape, any depth up to 256, any type.
// Operations a pair's two products are made twice (once a launch), the three sums once: 7 queries keys depth fma.
// Counted   512 x 512, depth 128, bf16, one head, on emu:h200: 472,778,752 bytes loaded, 397,312 stored: as predicted.
// Lacks     reuse: every number that is loaded meets one fma; tensor cores.
#include "row_sums.cuh"

constexpr int kOwn = (DEPTH + 31) / 32;  // numbers of a row of sums that a lane holds: lane, lane + 32, ...

/// Two rows of a warp's own, in shared memory: what every other row is multiplied with.
struct OwnRows {
  float first[DEPTH], second[DEPTH];
  __device__ __forceinline__ void load(const DTYPE* a, const DTYPE* b) {
    for (int d = static_cast<int>(threadIdx.x) % 32; d < DEPTH; d += 32)
      first[d] = to_float(a[d]), second[d] = to_float(b[d]);
    __syncwarp();
  }
};

__device__ __forceinline__ float dot(const float* own, const DTYPE* other) {
  float sum = 0.0f;
#pragma unroll 4
  for (int d = 0; d < DEPTH; ++d) sum += own[d] * to_float(other[d]);
  return sum;
}

/// A lane's part of sum += weight row.
__device__ __forceinline__ void add_row(float (&sum)[kOwn], float weight, const DTYPE* row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int r = 0; r < kOwn; ++r)
    if (DEPTH % 32 == 0 || lane + 32 * r < DEPTH) sum[r] += weight * to_float(row[lane + 32 * r]);
}

__device__ __forceinline__ void write_row(const float (&sum)[kOwn], float factor, DTYPE* row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int r = 0; r < kOwn; ++r)
    if (DEPTH % 32 == 0 || lane + 32 * r < DEPTH) row[lane + 32 * r] = from_float<DTYPE>(sum[r] * factor);
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    query_gradients(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
                    const DTYPE* __restrict__ dO, const RowSums* __restrict__ sums, DTYPE* __restrict__ dQ, int heads,
                    int kv_heads, int queries, int keys, long long rows) {
  __shared__ OwnRows all[WARPS];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const long long row = static_cast<long long>(blockIdx.x) * WARPS + warp;
  if (row >= rows) return;
  const int i = static_cast<int>(row % queries), z = static_cast<int>(row / queries);
  const int b = z / heads, h = z % heads, kv_head = h / (heads / kv_heads);
  const HeadRows<const DTYPE> k = rows_of(K, b, kv_head, kv_heads, keys, DEPTH);
  const HeadRows<const DTYPE> v = rows_of(V, b, kv_head, kv_heads, keys, DEPTH);
  OwnRows& own = all[warp];
  own.load(rows_of(Q, b, h, heads, queries, DEPTH).row(i), rows_of(dO, b, h, heads, queries, DEPTH).row(i));

  const float root = sqrtf(static_cast<float>(DEPTH)), to_log2 = kLog2e / root;
  const RowSums of_row = sums[row];
  const int visible = visible_keys(i, queries, keys);
  float sum[kOwn] = {};
  for (int first = first_visible(visible); first < visible; first += 32) {
    const int here = visible - first < 32 ? visible - first : 32;
    float ds = 0.0f;
    if (lane < here) {
      const float p = exp2_fast(fmaf(dot(own.first, k.row(first + lane)), to_log2, -of_row.base));
      ds = p * (dot(own.second, v.row(first + lane)) - of_row.delta);
    }
    __syncwarp();
    for (int j = 0; j < here; ++j) add_row(sum, __shfl_sync(0xffffffffU, ds, j), k.row(first + j));
  }
  write_row(sum, 1.0f / root, rows_of(dQ, b, h, heads, queries, DEPTH).row(i));
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    key_gradients(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
                  const DTYPE* __restrict__ dO, const RowSums* __restrict__ sums, DTYPE* __restrict__ dK,
                  DTYPE* __restrict__ dV, int heads, int kv_heads, int queries, int keys, long long rows) {
  __shared__ OwnRows all[WARPS];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const long long row = static_cast<long long>(blockIdx.x) * WARPS + warp;
  if (row >= rows) return;
  const int j = static_cast<int>(row % keys), z = static_cast<int>(row / keys);
  const int b = z / kv_heads, kv_head = z % kv_heads, group = heads / kv_heads;
  OwnRows& own = all[warp];
  own.load(rows_of(K, b, kv_head, kv_heads, keys, DEPTH).row(j), rows_of(V, b, kv_head, kv_heads, keys, DEPTH).row(j));

  const float root = sqrtf(static_cast<float>(DEPTH)), to_log2 = kLog2e / root;
  const int first_query = first_seeing(j, queries, keys), end = end_seeing(j, queries, keys);
  float sum_k[kOwn] = {}, sum_v[kOwn] = {};
  for (int h = kv_head * group; h < (kv_head + 1) * group; ++h) {
    const HeadRows<const DTYPE> q = rows_of(Q, b, h, heads, queries, DEPTH);
    const HeadRows<const DTYPE> g = rows_of(dO, b, h, heads, queries, DEPTH);
    const RowSums* of_rows = sums + (static_cast<long long>(b) * heads + h) * queries;
    for (int first = first_query; first < end; first += 32) {
      const int here = end - first < 32 ? end - first : 32;
      float p = 0.0f, ds = 0.0f;
      if (lane < here) {
        const RowSums of_row = of_rows[first + lane];
        p = exp2_fast(fmaf(dot(own.first, q.row(first + lane)), to_log2, -of_row.base));
        ds = p * (dot(own.second, g.row(first + lane)) - of_row.delta);
      }
      __syncwarp();
      for (int i = 0; i < here; ++i) {
        add_row(sum_v, __shfl_sync(0xffffffffU, p, i), g.row(first + i));
        add_row(sum_k, __shfl_sync(0xffffffffU, ds, i), q.row(first + i));
      }
    }
  }
  write_row(sum_k, 1.0f / root, rows_of(dK, b, kv_head, kv_heads, keys, DEPTH).row(j));
  write_row(sum_v, 1.0f, rows_of(dV, b, kv_head, kv_heads, keys, DEPTH).row(j));
}
