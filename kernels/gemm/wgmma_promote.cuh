#pragma once
// Sums of fp8 products as exact as fp32. wgmma keeps 14 bits of them: a term that is 2^13 times smaller than the sum so
// far is lost. So the sums of one instruction are started afresh every PROMOTE k (128) and added to others in fp32; the
// registers of one instruction are needed twice. There, too, the factors of scales=block are applied, which belong to
// as many k. PROMOTE 0: nothing of this.
#include "scales.cuh"
#include "wgmma_tile.cuh"

#ifndef PROMOTE  // rungs without it
#define PROMOTE 0
#endif
static_assert(SCALES != 2 || PROMOTE == Scales::kBlock, "constraint promoted");

/// Factors of the sums that a thread has of one instruction, for 128 k: rows of D along those of wgmma.
struct Factors {
  static constexpr int kBlocks = WGMMA_N > Scales::kBlock ? WGMMA_N / Scales::kBlock : 1;
  Sum at[2][kBlocks];
  __device__ __forceinline__ Sum of(int sum) const { return at[sum % 4 / 2][sum / 4 * 8 / Scales::kBlock]; }
};

/// All factors of a warpgroup's rows from m0 on, and columns from n0 on. Empty unless scales=block.
struct BlockScales {
#if SCALES == 2
  const float* a;  // of this thread's first row
  const float* b;  // of the first columns
  int blocks;      // of k
  int rows;        // from this thread's first row to the last of D

  __device__ __forceinline__ BlockScales(const Scales& given, int m0, int n0, int M, int N, int K)
      : blocks(Scales::blocks(K)) {
    const Scales scales = given.of(blockIdx.z, M, N, K);
    const int row = m0 + static_cast<int>(threadIdx.x) % 128 / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / 4;
    rows = M - 1 - row;
    a = scales.a + static_cast<long long>(rows < 0 ? M - 1 : row) * blocks;
    b = scales.b + static_cast<long long>(n0 / Scales::kBlock) * blocks;
    columns = (N - 1) / Scales::kBlock - n0 / Scales::kBlock;
  }
  int columns;  // of B, in blocks, from the first to the last

  /// For 64 rows from `row` on, the k of block k / 128.
  __device__ __forceinline__ Factors of(int row, int k) const {
    const int block = k / Scales::kBlock < blocks ? k / Scales::kBlock : blocks - 1;  // beyond K all products are 0
    Factors factors;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int down = row + half * 8;
      const Sum of_a = a[static_cast<long long>(down < rows ? down : rows < 0 ? 0 : rows) * blocks + block];
#pragma unroll
      for (int i = 0; i < Factors::kBlocks; ++i)
        factors.at[half][i] = of_a * b[static_cast<long long>(i < columns ? i : columns) * blocks + block];
    }
    return factors;
  }
#else
  __device__ __forceinline__ BlockScales() {}
  __device__ __forceinline__ BlockScales(const Scales&, int, int, int, int, int) {}
  __device__ __forceinline__ Factors of(int, int) const {
    return {};
  }
#endif
};

/// sums += First Second, in parts of PROMOTE k; `k` is the first of the tiles at the shared addresses `first` (of which
/// ROWS64 x 64 rows from `row` on) and `second`. Waits for the products.
template <typename First, typename Second, int ROWS64, typename FactorsOfParts>
__device__ __forceinline__ void promote(Sum (&sums)[ROWS64][WGMMA_N / 2], unsigned first, int row, unsigned second,
                                        int k, const FactorsOfParts& scales) {
  constexpr int kStepsOfPart = PROMOTE / kStepK;
#pragma unroll
  for (int from = 0; from < kSteps; from += kStepsOfPart)
#pragma unroll
    for (int i = 0; i < ROWS64; ++i) {
      const auto factors = scales.of(i * 64, k + from * kStepK);
      Sum part[WGMMA_N / 2];
      fence_sums();
#pragma unroll
      for (int step = from; step < from + kStepsOfPart; ++step)
        multiply_tiles<0, 0>(part, First::describe_step(first, row + i * 64, step),
                             Second::describe_step(second, 0, step), step > from);
      commit_products();
      wait_products<0>();
      settle_sums(part);
#pragma unroll
      for (int j = 0; j < WGMMA_N / 2; ++j) sums[i][j] += SCALES == 2 ? factors.of(j) * part[j] : part[j];
    }
}

template <int COUNT>
__device__ __forceinline__ void clear_sums(Sum (&sums)[COUNT]) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) sums[i] = 0;
}
