#pragma once
// Soft-capped scores: cap tanh(s / cap) instead of s, so that no score is beyond the cap and small ones stay as they
// are. SOFTCAP is 1 where the problem has a cap. To be done before the mask: -inf would become -cap, and be seen.
#include "softmax_tile.cuh"

/// tanh(x), within 2^-23: of a small x the digits are those of 1, which is what a score times the cap is measured by.
__device__ __forceinline__ float tanh_fast(float x) {
  return 1.0f - __fdividef(2.0f, 1.0f + exp2_fast(2.0f * kLog2e * x));
}

/// From q k to the exponent of a power of 2.
struct ScoreScale {
  float inner = 0.0f;  // what tanh is taken of, where there is a cap
  float to_log2;       // of what then stands in place of q k

  __device__ __forceinline__ ScoreScale(int depth, float softcap) : to_log2(log2_scale(depth)) {
    if (!SOFTCAP) return;
    const float limit = fabsf(softcap);  // c tanh(s / c) is the same of -c; a largest score wants a positive factor
    inner = rsqrtf(static_cast<float>(depth)) / limit;
    to_log2 = limit * kLog2e;
  }
  __device__ __forceinline__ float cap(float score) const { return SOFTCAP ? tanh_fast(score * inner) : score; }
  template <int Count>
  __device__ __forceinline__ void cap_all(float (&scores)[Count]) const {
#pragma unroll
    for (int i = 0; i < Count; ++i) scores[i] = cap(scores[i]);
  }
};
