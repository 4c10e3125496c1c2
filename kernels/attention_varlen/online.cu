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
#include "attention/softmax_tile.cuh"
#include "sequence.cuh"

constexpr int kOwn = (DEPTH + 31) / 32;  // numbers of O that a lane holds: lane, lane + 32, ...

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

  const float to_log2 = log2_scale(DEPTH);  // scores are kept as powers of 2
  const int visible = visible_keys(place - sequence.first_query, sequence.queries, sequence.keys);
  float largest = -infinity(), sum = 0.0f, output[kOwn] = {};
  for (int first = 0; first < visible; first += 32) {
    const int here = visible - first < 32 ? visible - first : 32;
    float score = -infinity();
    if (lane < here) {
      const DTYPE* key = k.row(first + lane);
      score = 0.0f;
#pragma unroll 8
      for (int d = 0; d < DEPTH; ++d) score += query[d] * to_float(key[d]);
      score *= to_log2;
    }
    float now = fmaxf(largest, score);
    for (int step = 16; step > 0; step /= 2) now = fmaxf(now, __shfl_xor_sync(0xffffffffU, now, step));
    const float base = now == -infinity() ? 0.0f : now;  // nothing seen yet: -inf + inf would be NaN
    const float shrink = exp2_fast(largest - base), weight = exp2_fast(score - base);
    largest = now;
    sum = sum * shrink + weight;  // of this lane's keys
#pragma unroll
    for (int r = 0; r < kOwn; ++r) output[r] *= shrink;
    for (int j = 0; j < here; ++j) {
      const float p = __shfl_sync(0xffffffffU, weight, j);
      const DTYPE* value = v.row(first + j);
#pragma unroll
      for (int r = 0; r < kOwn; ++r)
        if (DEPTH % 32 == 0 || lane + 32 * r < DEPTH) output[r] += p * to_float(value[lane + 32 * r]);
    }
  }

  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
  const float factor = sum == 0.0f ? 0.0f : 1.0f / sum;
  DTYPE* o = packed_rows(O, place, head, heads, DEPTH).first;
#pragma unroll
  for (int r = 0; r < kOwn; ++r)
    if (DEPTH % 32 == 0 || lane + 32 * r < DEPTH) o[lane + 32 * r] = from_float<DTYPE>(output[r] * factor);
  if (lane == 0) LSE[at] = sum == 0.0f ? -infinity() : largest / kLog2e + logf(sum);
}
