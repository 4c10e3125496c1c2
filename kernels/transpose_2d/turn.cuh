#pragma once
// VEC x VEC elements turned in registers, VEC = 16 / size: line k of the result is column k of what was given. 32- and
// 64-bit elements only change their names; 16-bit ones take one byte permutation (prmt) a register, 8-bit ones two.
#include "bits.cuh"

struct alignas(16) Line {
  unsigned words[4];
};

/// Register w of line k of the result.
__device__ __forceinline__ unsigned turned_word(const Line (&in)[VEC], int k, int w) {
  if constexpr (DTYPE_BYTES == 8) return in[w / 2].words[2 * k + w % 2];
  if constexpr (DTYPE_BYTES == 4) return in[w].words[k];
  if constexpr (DTYPE_BYTES == 2)
    return __byte_perm(in[2 * w].words[k / 2], in[2 * w + 1].words[k / 2], k % 2 == 0 ? 0x5410 : 0x7632);
  if constexpr (DTYPE_BYTES == 1) {
    // Bytes k % 4 of four lines, two by two; the compiler computes what two k share once.
    const unsigned pick = k % 4 / 2 == 0 ? 0x5140 : 0x7362;  // of k = 0 and 1, or 2 and 3: a0 b0 a1 b1
    const unsigned low = __byte_perm(in[4 * w].words[k / 4], in[4 * w + 1].words[k / 4], pick);
    const unsigned high = __byte_perm(in[4 * w + 2].words[k / 4], in[4 * w + 3].words[k / 4], pick);
    return __byte_perm(low, high, k % 2 == 0 ? 0x5410 : 0x7632);
  }
  return 0;
}

__device__ __forceinline__ Line turned(const Line (&in)[VEC], int k) {
  Line out;
#pragma unroll
  for (int w = 0; w < 4; ++w) out.words[w] = turned_word(in, k, w);
  return out;
}
