#pragma once
// Softmax on the way, of the accumulators of a tile of scores: what a lane does for the two rows of which it holds
// some. mma.m16n8 and wgmma.m64n* give a lane the same two rows, l / 4 and l / 4 + 8 of its warp's 16, and of every 8
// columns the pair 2 (l % 4): s[4 j], s[4 j + 1] of the first row, s[4 j + 2], s[4 j + 3] of the second. The four lanes
// of a row meet by two shuffles. README.md derives it.
#include "common/rows/row_math.cuh"

/// log2(e) / sqrt(depth): exp(q k / sqrt(depth)) = 2^(q k that).
__device__ __forceinline__ float log2_scale(int depth) {
  return kLog2e / sqrtf(static_cast<float>(depth));
}

/// Combined over the four lanes that share a row; all of them get the result.
template <typename Combine>
__device__ __forceinline__ float over_quad(float x, Combine combine) {
  x = combine(x, __shfl_xor_sync(0xffffffffU, x, 1));
  return combine(x, __shfl_xor_sync(0xffffffffU, x, 2));
}

/// The state of two rows. Scores come unscaled, as q k; `to_log2` is log2(e) / sqrt(depth), with which exponentials are
/// powers of 2, at one fma and one ex2 each.
struct OnlineSoftmax {
  float largest[2] = {-infinity(), -infinity()};  // of the scores so far, times to_log2
  float sum[2] = {0.0f, 0.0f};                    // of the weights of this lane's columns

  /// Turns a tile of scores into weights exp(s - largest) and returns by what O of each row has to be multiplied.
  /// A row that has seen nothing but -inf takes 0 for the largest: exp2(-inf - 0) is 0, where -inf + inf is NaN.
  template <int Count>
  __device__ __forceinline__ void advance(float (&s)[Count], float to_log2, float (&shrink)[2]) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float most = fmaxf(s[2 * r], s[2 * r + 1]);
#pragma unroll
      for (int j = 4; j < Count; j += 4) most = fmaxf(most, fmaxf(s[j + 2 * r], s[j + 2 * r + 1]));
      most = over_quad(most, [](float a, float b) { return fmaxf(a, b); });
      const float now = fmaxf(largest[r], most * to_log2);
      const float base = now == -infinity() ? 0.0f : now;
      shrink[r] = exp2_fast(largest[r] - base);
      largest[r] = now;
      float added = 0.0f;
#pragma unroll
      for (int j = 2 * r; j < Count; j += 4) {
        s[j] = exp2_fast(fmaf(s[j], to_log2, -base));
        s[j + 1] = exp2_fast(fmaf(s[j + 1], to_log2, -base));
        added += s[j] + s[j + 1];
      }
      sum[r] = sum[r] * shrink[r] + added;
    }
  }

  /// After the last tile: what O of each row is multiplied with, and the logarithm of the row's sum. 0 and -inf where
  /// there was nothing to see.
  __device__ __forceinline__ void finish(float (&factor)[2], float (&lse)[2]) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum[r] = over_quad(sum[r], [](float a, float b) { return a + b; });
      factor[r] = sum[r] == 0.0f ? 0.0f : 1.0f / sum[r];
      lse[r] = sum[r] == 0.0f ? -infinity() : largest[r] / kLog2e + logf(sum[r]);
    }
  }
};

/// Scores of keys that a row does not see become -inf: `first_key` is the first of the tile, `visible` the number of
/// keys that each of the two rows sees. To be done before the largest is taken.
template <int Count>
__device__ __forceinline__ void mask_tile(float (&s)[Count], int first_key, const int (&visible)[2]) {
  const int own = first_key + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int i = 0; i < Count; ++i)
    if (own + i / 4 * 8 + i % 2 >= visible[i / 2 % 2]) s[i] = -infinity();
}

/// The other end, of a window: scores of keys before `begin`, the first that each of the two rows sees.
template <int Count>
__device__ __forceinline__ void mask_before(float (&s)[Count], int first_key, const int (&begin)[2]) {
  const int own = first_key + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int i = 0; i < Count; ++i)
    if (own + i / 4 * 8 + i % 2 < begin[i / 2 % 2]) s[i] = -infinity();
}

/// Each of the two rows of a tile by its own factor.
template <int Count>
__device__ __forceinline__ void scale_rows(float (&o)[Count], const float (&factor)[2]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) o[i] *= factor[i / 2 % 2];
}

/// Weights of 16 keys, 16 step and on, as the left operand of the product with their values, rounded to T.
template <typename T, int Count>
__device__ __forceinline__ void pack_weights(unsigned (&a)[4], const float (&p)[Count], int step) {
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = pack_pair<T>(p[8 * step + 2 * i], p[8 * step + 2 * i + 1]);
}
