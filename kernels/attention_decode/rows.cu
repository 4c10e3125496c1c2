// Rung 0, naive: a warp a query and head. Rung 1, split: SPLITS of them, which share the keys.
//
// Idea      a lane has a key, of which it takes the score in fp32; softmax on the way (kernels/attention/README.md), 32 keys
//           at a time; then a lane has columns of O. With one query a sequence there are batch x heads warps: of 16
//           sequences 512, four to a multiprocessor, each with one key a lane on its way. split gives each row to SPLITS
//           warps; a second launch joins their parts.
// Parameters WARPS a block; SPLITS of the keys.
// Expects   anything: any depth up to 256, any type, any page.
// Operations K and V once for each head of queries; of SPLITS > 1 (depth + 2) 4 bytes a row and split, written and read.
// Lacks     reuse: the heads that share keys read them anew; every number of K is a load of its own.
#include "cache.cuh"
#include "combine.cuh"

constexpr int kOwn = 8;  // columns of O of a lane, at most

__device__ __forceinline__ float dot(const float* query, const DTYPE* key, int depth) {
  float sum = 0.0f;
  for (int d = 0; d < depth; ++d) sum += query[d] * to_float(key[d]);
  return sum;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    decode(const DTYPE* __restrict__ Q, const DTYPE* __restrict__ K, const DTYPE* __restrict__ V,
           const int* __restrict__ length, const int* __restrict__ table, DTYPE* __restrict__ O, float* __restrict__ LSE,
           float* __restrict__ sums, Part* __restrict__ parts, int heads, int kv_heads, int queries, int keys, int depth,
           int page, long long rows) {
  __shared__ float all_queries[WARPS][256];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const long long number = static_cast<long long>(blockIdx.x) * WARPS + warp;
  const int split = static_cast<int>(blockIdx.y);
  if (number >= rows) return;
  const Row row(number, queries, heads);
  const Cache cache(table, row.b, row.h / (heads / kv_heads), kv_heads, keys, depth, page);
  float* query = all_queries[warp];
  for (int d = lane; d < depth; d += 32) query[d] = to_float(Q[number * depth + d]);
  __syncwarp();

  const int visible = length[row.b] - (queries - 1 - row.i);  // negative: nothing
  const int each = (keys + SPLITS - 1) / SPLITS, begin = split * each;
  const int end = visible - begin < each ? visible : begin + each;
  const float to_log2 = kLog2e / sqrtf(static_cast<float>(depth));  // scores are kept as powers of 2
  Part own{-infinity(), 0.0f};
  // Sums of a piece of 256 keys, and of the pieces before it: a quarter of a million terms added one by one are off by
  // 5e-4, where their sizes are such that each is rounded to the same side (docs/tolerance.md, softmax).
  float output[kOwn] = {}, before[kOwn] = {};
  for (int first = begin; first < end; first += 32) {
    const int here = end - first < 32 ? end - first : 32;
    const int key = first + (lane < here ? lane : 0);
    const long long at = cache.offset(cache.page_of(key), key);
    const float score = lane < here ? dot(query, K + at, depth) * to_log2 : -infinity();
    float now = fmaxf(own.largest, score);
    for (int step = 16; step > 0; step /= 2) now = fmaxf(now, __shfl_xor_sync(0xffffffffU, now, step));
    const float base = now == -infinity() ? 0.0f : now;  // nothing seen yet: -inf + inf would be NaN
    const float shrink = exp2_fast(own.largest - base), weight = exp2_fast(score - base);
    own.largest = now;
    own.sum = own.sum * shrink + weight;  // of this lane's keys
#pragma unroll
    for (int r = 0; r < kOwn; ++r) {
      before[r] *= shrink;
      output[r] *= shrink;
    }
    if ((first - begin) % 256 == 0) {
#pragma unroll
      for (int r = 0; r < kOwn; ++r) {
        before[r] += output[r];
        output[r] = 0.0f;
      }
    }
    for (int j = 0; j < here; ++j) {
      const float p = __shfl_sync(0xffffffffU, weight, j);
      const DTYPE* value = V + __shfl_sync(0xffffffffU, at, j);
#pragma unroll
      for (int r = 0; r < kOwn; ++r)
        if (lane + 32 * r < depth) output[r] += p * to_float(value[lane + 32 * r]);
    }
  }

#pragma unroll
  for (int r = 0; r < kOwn; ++r) output[r] += before[r];
  for (int step = 16; step > 0; step /= 2) own.sum += __shfl_xor_sync(0xffffffffU, own.sum, step);
  const long long place = split * rows + number;
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    if (lane + 32 * r >= depth) continue;
    if (SPLITS == 1) O[number * depth + lane + 32 * r] = from_float<DTYPE>(output[r] * factor_of(own));
    else sums[place * depth + lane + 32 * r] = output[r];
  }
  if (lane != 0) return;
  if (SPLITS == 1) LSE[row.of_lse(queries, heads)] = lse_of(own);
  else parts[place] = own;
}
