#pragma once
// Products of a key with the queries of a reference's block: each number of the key is read and converted once, 16
// bytes at a time where it is aligned. Terms are added one after another, in the order of the depth.
#include "common/types.cuh"

constexpr int kThreads = 256;
constexpr int kTogether = 4;  // queries at most
constexpr int kMostDepth = 256;

/// The queries, as ACC.
__device__ __forceinline__ ACC (*shared_queries())[kMostDepth] {
  __shared__ alignas(16) ACC queries[kTogether][kMostDepth];
  return queries;
}

/// A sum of products, and that of their squares.
struct Dot {
  ACC sum = 0, squares = 0;
  __device__ __forceinline__ void add(ACC a, ACC b) {
    const ACC term = a * b;
    sum += term;
    squares += term * term;
  }
};

/// The number of these bits.
template <typename T>
__device__ __forceinline__ ACC number_of(unsigned int bits) {
  if constexpr (sizeof(T) == 4)
    return float_from_bits(bits);
  else
    return to_float(T{static_cast<decltype(T{}.bits)>(bits)});
}

/// 16 bytes of a row.
struct alignas(16) Quad {
  static constexpr int kCount = 16 / sizeof(DTYPE);
  unsigned int words[4];

  __device__ __forceinline__ ACC get(int e) const {
    constexpr int kSize = sizeof(DTYPE);
    return number_of<DTYPE>(words[e * kSize / 4] >> (e * kSize % 4 * 8));
  }
};

/// Of the first `count` queries with a key.
__device__ __forceinline__ void multiply(int count, const DTYPE* key, int depth, Dot (&dots)[kTogether]) {
  const ACC(*queries)[kMostDepth] = shared_queries();
  const int wide = is_aligned_for<Quad>(key) ? depth / Quad::kCount * Quad::kCount : 0;
  for (int first = 0; first < wide; first += Quad::kCount) {
    const Quad quad = *reinterpret_cast<const Quad*>(key + first);
    ACC numbers[Quad::kCount];
#pragma unroll
    for (int e = 0; e < Quad::kCount; ++e) numbers[e] = quad.get(e);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      if (r > 0 && r == count) break;
#pragma unroll
      for (int e = 0; e < Quad::kCount; ++e) dots[r].add(queries[r][first + e], numbers[e]);
    }
  }
  for (int d = wide; d < depth; ++d) {
    const ACC number = to_float(key[d]);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      if (r > 0 && r == count) break;
      dots[r].add(queries[r][d], number);
    }
  }
}
