// Rung 0, online: a warp a query, which finds its sequence by itself; fp32.
//
// Idea      sequences of different lengths need no padding: the offsets say where each begins. A query's place is looked
//           up in them (log2(batch) loads), and from there on it is kernels/attention/online: 32 keys at a time, one a
//           lane, softmax on the way.
// Parameters WARPS: queries of one head a block.
// Expects   nothing: any lengths, any depth up to 256, any type.
// Operations 2 depth fma a pair that is seen; K and V once for each query (L1 serves most).
// Gains     padding to the longest of the sequences is neither stored nor multiplied.
// Lacks     reuse of keys, tensor cores; a warp with a long sequence is waited for by its block.
#include "attention/online_row.cuh"
#include "sequence.cuh"

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    attention(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
              const int* __restrict__ query_offsets, const int* __restrict__ key_offsets, DTYPE* __restrict__ O,
              float* __restrict__ LSE, int batch, int heads, int kv_heads, int queries, long long rows) {
  __shared__ float all_queries[WARPS][DEPTH];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const long long at = static_cast<long long>(blockIdx.x) * WARPS + warp;  // as LSE lies: by head and place
  if (at >= rows) return;
  const int head = static_cast<int>(at / queries), place = static_cast<int>(at % queries);
  const Sequence sequence(query_offsets, key_offsets, last_up_to(query_offsets, batch, place));
  const int kv_head = head / (heads / kv_heads);
  const HeadRows<const DTYPE> k = packed_rows(K, sequence.first_key, kv_head, kv_heads, DEPTH);
  const HeadRows<const DTYPE> v = packed_rows(V, sequence.first_key, kv_head, kv_heads, DEPTH);
  const DTYPE* q = packed_rows(Q, place, head, heads, DEPTH).first;
  float* query = all_queries[warp];
  for (int d = lane; d < DEPTH; d += 32) query[d] = to_float(q[d]);
  __syncwarp();

  const int visible = visible_keys(place - sequence.first_query, sequence.queries, sequence.keys);
  const OnlineRow<DEPTH> row(query, k, v, visible, log2_scale(DEPTH), 1.0f);
  row.write(packed_rows(O, place, head, heads, DEPTH).first);
  if (lane == 0) LSE[at] = row.lse;
}
