// Rung 1, online: softmax on the way, in one launch; a warp a query, in fp32.
//
// Idea      scores need not be kept: a row's weights are known but for a factor as soon as the largest score so far is.
//           A warp takes 32 keys at a time, one a lane: each lane its score, then the warp the largest of them. Where
//           it exceeds the largest so far, what was summed up until then is scaled down by exp(old - new), O with it.
//           The derivation is in README.md. Then the weights go round by shuffles and meet the values, whose numbers
//           lie one a lane.
// Parameters WARPS: queries a block, which find each other's keys and values in L1.
// Expects   nothing: any shape, any depth up to 256, any type.
// Operations 2 queries keys depth fma, nothing written but O and LSE: Q, O once, K and V once for each query (L1 serves
//           all but the first warp of a block).
// Counted   512 x 512, depth 128, bf16, one head, on emu:h200: 134,348,800 bytes loaded, 133,120 stored: as predicted.
// Gains     memory: 4 queries keys bytes a head that are not there any more, in no direction.
// Lacks     reuse: each number of K and V that is loaded meets one query, and tensor cores.
// Measured  an H100 (80 GB HBM3), bf16, 4 x 16 x 4096 x 128: 106.5 ms full, 57.6 ms causal (5.2, 4.8 TFLOP/s).
#include "common/rows/row_math.cuh"
#include "softcap.cuh"
#include "window.cuh"

constexpr int kOwn = (VALUE_DEPTH + 31) / 32;  // numbers of O that a lane holds: lane, lane + 32, ...

constexpr int kChunk = VEC > 1 ? VEC : 16 / DTYPE_BYTES;  // of no use where VEC is 1, but a type all the same

__device__ __forceinline__ float dot(const float* query, const DTYPE* key) {
  using Chunk = Packed<DTYPE, kChunk>;
  float sum = 0.0f;
#pragma unroll 4
  for (int d = 0; d < DEPTH; d += VEC) {
    if constexpr (VEC == 1) {
      sum += query[d] * to_float(key[d]);
    } else {
      const Chunk chunk = *reinterpret_cast<const Chunk*>(key + d);
#pragma unroll
      for (int e = 0; e < VEC; ++e) sum += query[d + e] * to_float(chunk.get(e));
    }
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    attention(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
              DTYPE* __restrict__ O, float* __restrict__ LSE, int heads, int kv_heads, int queries, int keys,
              long long rows, float softcap) {
  __shared__ float all_queries[WARPS][DEPTH];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const long long row = static_cast<long long>(blockIdx.x) * WARPS + warp;
  if (row >= rows) return;
  const int i = static_cast<int>(row % queries), z = static_cast<int>(row / queries);
  const int b = z / heads, h = z % heads, kv_head = h / (heads / kv_heads);
  const HeadRows<const DTYPE> k = rows_of(K, b, kv_head, kv_heads, keys, DEPTH);
  const HeadRows<const DTYPE> v = rows_of(V, b, kv_head, kv_heads, keys, VALUE_DEPTH);
  const DTYPE* q = rows_of(Q, b, h, heads, queries, DEPTH).row(i);
  float* query = all_queries[warp];
  for (int d = lane; d < DEPTH; d += 32) query[d] = to_float(q[d]);
  __syncwarp();

  const ScoreScale scale(DEPTH, softcap);
  const float to_log2 = scale.to_log2;  // scores are kept as powers of 2
  const int visible = visible_keys(i, queries, keys);
  float largest = -infinity(), sum = 0.0f, output[kOwn] = {};
  for (int first = first_visible(visible); first < visible; first += 32) {
    const int here = visible - first < 32 ? visible - first : 32;
    const float score = lane < here ? scale.cap(dot(query, k.row(first + lane))) * to_log2 : -infinity();
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
        if (VALUE_DEPTH % 32 == 0 || lane + 32 * r < VALUE_DEPTH) output[r] += p * to_float(value[lane + 32 * r]);
    }
  }

  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
  const float factor = sum == 0.0f ? 0.0f : 1.0f / sum;
  DTYPE* o = rows_of(O, b, h, heads, queries, VALUE_DEPTH).row(i);
#pragma unroll
  for (int r = 0; r < kOwn; ++r)
    if (VALUE_DEPTH % 32 == 0 || lane + 32 * r < VALUE_DEPTH) o[lane + 32 * r] = from_float<DTYPE>(output[r] * factor);
  if (lane == 0) LSE[row] = sum == 0.0f ? -infinity() : largest / kLog2e + logf(sum);
}
