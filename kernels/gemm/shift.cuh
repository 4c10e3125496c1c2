#pragma once
// 16 bytes of rows that begin anywhere, from two aligned loads.

/// The 16 bytes that begin `shift` (0 to 15) bytes after those of `low`, which `high` follows.
__device__ __forceinline__ uint4 shifted(uint4 low, uint4 high, unsigned shift) {
  unsigned words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) words[i] = (shift & 8) != 0 ? words[i + 2] : words[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) words[i] = (shift & 4) != 0 ? words[i + 1] : words[i];
#pragma unroll
  for (int i = 0; i < 4; ++i) words[i] = __funnelshift_r(words[i], words[i + 1], shift % 4 * 8);
  return {words[0], words[1], words[2], words[3]};
}

/// The first `bytes` of 16 (none where negative), and zeros.
__device__ __forceinline__ uint4 first_bytes(uint4 chunk, int bytes) {
  unsigned words[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int kept = bytes - 4 * i;
    if (kept < 4) words[i] = kept > 0 ? words[i] & ((1u << kept * 8) - 1) : 0;
  }
  return {words[0], words[1], words[2], words[3]};
}
