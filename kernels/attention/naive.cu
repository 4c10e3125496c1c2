// Rung 0, naive: the definition, in three launches with the scores in memory.
//
// Idea      one thread a score; one warp a row of scores, which it turns into weights; one thread an element of O. The
//           first launch is a product of matrices, the second a softmax, the third a product again.
// Parameters THREADS per block.
// Expects   nothing: any shape, any depth, any type.
// Operations queries keys depth fma twice, and the wall: the scores, 4 queries keys bytes a head, are written once,
//           read three times and written again by the softmax, read by the second product. At 4096 x 4096 that is
//           64 MB a head where Q, K, V and O together are 4 MB.
// Counted   512 x 512, depth 128, bf16, one head, on emu:h200: 338,690,048 bytes loaded, 2,230,272 stored; the
//           formula in naive.toml gives the same. K, Q, V and O are 524,288.
// Lacks     memory: a row of 131072 keys and as many queries is 64 GB a head. And no operand is used twice out of a
//           register: every fma has a load.
// Measured  an H100 (80 GB HBM3), one head of 4096 x 128, bf16: 10.9 ms full, 5.65 ms causal (0.79, 0.76 TFLOP/s).
#include "common/rows/row_math.cuh"
#include "window.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
    scores(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, float* __restrict__ S, int heads, int kv_heads,
           int queries, int keys, int depth, long long count, float softcap) {
  const long long at = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (at >= count) return;
  const int j = static_cast<int>(at % keys);
  const long long row = at / keys;
  const int i = static_cast<int>(row % queries), z = static_cast<int>(row / queries);
  const int visible = visible_keys(i, queries, keys);
  if (j >= visible || j < first_visible(visible)) return;  // never read
  const int b = z / heads, h = z % heads;
  const DTYPE* q = rows_of(Q, b, h, heads, queries, depth).row(i);
  const DTYPE* k = rows_of(K, b, h / (heads / kv_heads), kv_heads, keys, depth).row(j);
  float sum = 0.0f;
  for (int d = 0; d < depth; ++d) sum += to_float(q[d]) * to_float(k[d]);
  const float score = sum / sqrtf(static_cast<float>(depth));
  S[at] = SOFTCAP ? softcap * tanhf(score / softcap) : score;
}

/// A warp a row: weights in place of scores.
extern "C" __global__ void __launch_bounds__(THREADS)
    weights(float* __restrict__ S, float* __restrict__ LSE, int queries, int keys, long long rows) {
  const long long row = static_cast<long long>(blockIdx.x) * (THREADS / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int visible = visible_keys(static_cast<int>(row % queries), queries, keys);
  const int begin = first_visible(visible) + lane;
  float* s = S + row * keys;
  float largest = -infinity();
  for (int j = begin; j < visible; j += 32) largest = fmaxf(largest, s[j]);
  for (int step = 16; step > 0; step /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, step));
  if (largest == -infinity()) largest = 0.0f;  // nothing to see: exp(-inf - 0) is 0, exp(-inf + inf) would be NaN

  float sum = 0.0f;
  for (int j = begin; j < visible; j += 32) sum += exp_below(s[j], largest);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
  const float factor = sum == 0.0f ? 0.0f : 1.0f / sum;
  for (int j = begin; j < visible; j += 32) s[j] = exp_below(s[j], largest) * factor;
  if (lane == 0) LSE[row] = largest + logf(sum);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    output(const float* __restrict__ S, const DTYPE* __restrict__ V, DTYPE* __restrict__ O, int heads, int kv_heads,
           int queries, int keys, int v_depth, long long count) {
  const long long at = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (at >= count) return;
  const int d = static_cast<int>(at % v_depth);
  const long long row = at / v_depth;
  const int i = static_cast<int>(row % queries), z = static_cast<int>(row / queries);
  const int b = z / heads, h = z % heads;
  const HeadRows<const DTYPE> v = rows_of(V, b, h / (heads / kv_heads), kv_heads, keys, v_depth);
  const float* p = S + row * keys;
  const int visible = visible_keys(i, queries, keys);
  float sum = 0.0f;
  for (int j = first_visible(visible); j < visible; ++j) sum += p[j] * to_float(v.row(j)[d]);
  rows_of(O, b, h, heads, queries, v_depth).row(i)[d] = from_float<DTYPE>(sum);
}
