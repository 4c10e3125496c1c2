#pragma once
// 16 / size neighbouring structures in a thread's registers, and their fields as packets. FIELDS is compiled in, so that
// every place is known to the compiler.
#include "bits.cuh"

constexpr int kTogether = 16 / DTYPE_BYTES;  // structures whose packets, FIELDS of them, a thread holds

/// Two elements of 16 bits side by side: one byte permutation (prmt).
__device__ __forceinline__ unsigned pair(const Packet (&held)[FIELDS], int low, int high) {
  const unsigned a = held[low / 8].words[low / 2 % 4];
  const unsigned b = held[high / 8].words[high / 2 % 4];
  return __byte_perm(a, b, (low % 2 != 0 ? 0x32 : 0x10) | (high % 2 != 0 ? 0x7600 : 0x5400));
}

/// Field f of the structures, in their order.
__device__ __forceinline__ Packet field(const Packet (&held)[FIELDS], int f) {
  Packet out;
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    if constexpr (DTYPE_BYTES == 4) out.words[w] = held[(w * FIELDS + f) / 4].words[(w * FIELDS + f) % 4];
    else out.words[w] = pair(held, 2 * w * FIELDS + f, (2 * w + 1) * FIELDS + f);
  }
  return out;
}
