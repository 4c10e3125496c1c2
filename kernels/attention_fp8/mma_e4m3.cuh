#pragma once
// Tensor cores on e4m3, a warp at a time: mma.sync.m16n8k32. PTX ISA, "Matrix Fragments for mma.m16n8k32": with
// g = lane / 4 and t = lane % 4 a lane holds of A rows g and g + 8, of B column g, and of either the k 4 t .. 4 t + 3
// and 16 + 4 t .. 16 + 4 t + 3, four numbers a register. Which number of k stands where is free, as long as A and B
// agree: that is what lets weights and values meet without a shuffle (ValuesTile).
#include "common/sm80/ldmatrix.cuh"

/// d += A B.
__device__ __forceinline__ void mma_e4m3(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Four numbers rounded to e4m3, the first in the lowest byte.
__device__ __forceinline__ unsigned pack_e4m3(float a, float b, float c, float d) {
  unsigned short low, high;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(low) : "f"(b), "f"(a));
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(high) : "f"(d), "f"(c));
  return low | static_cast<unsigned>(high) << 16;
}

/// Weights of 32 keys, 32 step and on, as a left operand: register 0 holds of row g the keys 2 t, 2 t + 1, 8 + 2 t and
/// 8 + 2 t + 1, just what the lane has of two accumulators; register 2 the same 16 keys on.
template <int Count>
__device__ __forceinline__ void pack_weights_e4m3(unsigned (&a)[4], const float (&p)[Count], int step) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float* pair = p + 16 * step + i / 2 * 8 + i % 2 * 2;  // of row g + 8 (i % 2)
    a[i] = pack_e4m3(pair[0], pair[1], pair[4], pair[5]);
  }
}

/// Values of 32 keys and 16 numbers, transposed: rows of bytes, a key each, at `address` (of this lane's key, 16 bytes).
/// ldmatrix transposes pairs of bytes: a register has two numbers of each of two keys. Two registers, 8 keys apart, are
/// sorted into even and odd numbers by one byte permutation each. Then column g of the product with even[] is number
/// 2 g of the 16, that with odd[] number 2 g + 1, and the keys stand as in pack_weights_e4m3.
struct ValuesTile {
  unsigned even[2], odd[2];

  __device__ __forceinline__ explicit ValuesTile(unsigned address) {
    unsigned pairs[4];
    sm80::ldmatrix_x4_trans(pairs, address);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      even[i] = __byte_perm(pairs[2 * i], pairs[2 * i + 1], 0x6420);
      odd[i] = __byte_perm(pairs[2 * i], pairs[2 * i + 1], 0x7531);
    }
  }
};
