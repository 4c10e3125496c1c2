#pragma once
// One query by one warp, softmax on the way, in fp32: 32 keys at a time, one a lane; weights go round by shuffles and
// meet the values, whose numbers lie one a lane. For the families beside attention (its rung online reads wider).
#include "problem.cuh"
#include "softmax_tile.cuh"

template <int Depth>
struct OnlineRow {
  static constexpr int kOwn = (Depth + 31) / 32;  // numbers of O that a lane holds: lane, lane + 32, ...
  float output[kOwn] = {};
  float lse = 0.0f;

  /// Over the first `visible` keys; scores are q k, `to_log2` makes powers of 2 of them. O is multiplied by `factor`.
  __device__ __forceinline__ OnlineRow(const float* query, HeadRows<const DTYPE> k, HeadRows<const DTYPE> v, int visible,
                                       float to_log2, float factor) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float largest = -infinity(), sum = 0.0f;
    for (int first = 0; first < visible; first += 32) {
      const int here = visible - first < 32 ? visible - first : 32;
      float score = -infinity();
      if (lane < here) {
        const DTYPE* key = k.row(first + lane);
        score = 0.0f;
#pragma unroll 8
        for (int d = 0; d < Depth; ++d) score += query[d] * to_float(key[d]);
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
          if (Depth % 32 == 0 || lane + 32 * r < Depth) output[r] += p * to_float(value[lane + 32 * r]);
      }
    }
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
    factor = sum == 0.0f ? 0.0f : factor / sum;
#pragma unroll
    for (int r = 0; r < kOwn; ++r) output[r] *= factor;
    lse = sum == 0.0f ? -infinity() : largest / kLog2e + logf(sum);
  }

  /// The row of O, by the whole warp.
  template <typename T>
  __device__ __forceinline__ void write(T* o) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int r = 0; r < kOwn; ++r)
      if (Depth % 32 == 0 || lane + 32 * r < Depth) o[lane + 32 * r] = from_float<T>(output[r]);
  }
};
