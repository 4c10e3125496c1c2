// Rung 0, online: a warp a query, each number of e4m3 converted where it is loaded; fp32.
//
// Idea      a scale a tensor costs nothing: those of Q and K go into the one factor that makes powers of 2 of scores,
//           that of V into the factor that a row is divided by in the end.
// Parameters WARPS: queries a block.
// Expects   nothing: any shape, any depth up to 256. Weights stay in fp32.
// Operations 2 queries keys depth fma, and as many conversions; half the bytes of 16-bit numbers.
// Lacks     reuse of keys, tensor cores.
#include "attention/online_row.cuh"

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    attention(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
              bf16_t* __restrict__ O, float* __restrict__ LSE, int heads, int kv_heads, int queries, int keys,
              long long rows, float q_scale, float k_scale, float v_scale) {
  __shared__ float all_queries[WARPS][DEPTH];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const long long at = static_cast<long long>(blockIdx.x) * WARPS + warp;
  if (at >= rows) return;
  const int i = static_cast<int>(at % queries), z = static_cast<int>(at / queries);
  const int b = z / heads, h = z % heads, kv_head = h / (heads / kv_heads);
  const DTYPE* q = rows_of(Q, b, h, heads, queries, DEPTH).row(i);
  float* query = all_queries[warp];
  for (int d = lane; d < DEPTH; d += 32) query[d] = to_float(q[d]);
  __syncwarp();
  const OnlineRow<DEPTH> row(query, rows_of(K, b, kv_head, kv_heads, keys, DEPTH),
                             rows_of(V, b, kv_head, kv_heads, keys, DEPTH), visible_keys(i, queries, keys),
                             log2_scale(DEPTH) * (q_scale * k_scale), v_scale);
  row.write(rows_of(O, b, h, heads, queries, DEPTH).row(i));
  if (lane == 0) LSE[at] = row.lse;
}
