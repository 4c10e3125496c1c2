#pragma once
// Factors of scales=block where B is wgmma's A operand (SWAP_AB): columns of D lie along its rows, so a factor of B
// belongs to all accumulators that a thread has of 64 rows.
#include "sm90_promotion.cuh"

/// Of the accumulators that a thread has of one instruction, for 128 k.
struct SwappedFactors {
  const float* a;  // of this thread's first row of D, for the k asked for
  int blocks, rows;
  Accumulator b;
  __device__ __forceinline__ Accumulator of(int i) const {
    const int down = i / 4 * 8 + i % 2;
    return b * a[static_cast<long long>(down < rows ? down : rows < 0 ? 0 : rows) * blocks];
  }
};

/// Of a tile of D that begins at (m0, n0); for multiply_promoted.
struct SwappedScales {
  Scales scales;
  int m0, n0, M, N, K;
  __device__ __forceinline__ SwappedFactors of(int row, int k) const {
    if constexpr (SCALES != 2) return {};
    const int last = K - 1, n = n0 + row, m = m0 + static_cast<int>(threadIdx.x) % 4 * 2;
    const int at = k < last ? k : last;  // beyond K all products are 0
    const int blocks = Scales::blocks(K);
    return {scales.a + static_cast<long long>(m < M ? m : M - 1) * blocks + at / Scales::kBlock, blocks, M - 1 - m,
            scales.of_b(at, n < N ? n : N - 1, K)};
  }
};
