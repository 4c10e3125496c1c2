#pragma once
// Elements of a row as integers in their order: NaN of either sign is the largest, and -0 equals 0. With the place beside it
// an element has one key that no other has, and of equal elements the first has the larger: the largest key is the same in
// whatever order keys are compared.
#include "common/rows/row_math.cuh"

using Key = unsigned long long;

__device__ __forceinline__ unsigned order_of(float x) {
  if (x != x) return 0xfffffffeU;  // no key is ~0: what is below it is everything
  const unsigned bits = bits_from_float(x + 0.0f);
  return bits & 0x80000000U ? ~bits : bits | 0x80000000U;
}

__device__ __forceinline__ Key key_of(float x, unsigned place) { return static_cast<Key>(order_of(x)) << 32 | (0xffffffffU - place); }
__device__ __forceinline__ int place_of(Key key) { return static_cast<int>(0xffffffffU - static_cast<unsigned>(key)); }

/// Of all lanes, in each.
__device__ __forceinline__ Key largest_of_warp(Key own) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    const Key other = __shfl_xor_sync(0xffffffffU, own, lanes);
    own = other > own ? other : own;
  }
  return own;
}
