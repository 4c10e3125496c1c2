#pragma once
// Accumulators of fp8 products as exact as fp32. wgmma keeps 14 bits of them: a term that is 2^13 times smaller than
// the sum so far is lost. So every PROMOTE k (128) one instruction's accumulators are started afresh, and added to
// others in fp32 ("promoted"); the registers of one instruction are needed twice. There, too, the factors of
// scales=block are applied, which belong to as many k. PROMOTE 0: nothing of this.
#include "scales.cuh"
#include "sm90_tile.cuh"

static_assert(SCALES != 2 || PROMOTE == Scales::kBlock, "constraint promoted");

/// Factors of the accumulators that a thread has of one instruction, for 128 k: rows of D along those of wgmma.
struct ScaleFactors {
  static constexpr int kScaleBlocks = WGMMA_N > Scales::kBlock ? WGMMA_N / Scales::kBlock : 1;
  Accumulator at[2][kScaleBlocks];
  __device__ __forceinline__ Accumulator of(int i) const { return at[i % 4 / 2][i / 4 * 8 / Scales::kBlock]; }
};

/// All factors of a warpgroup's rows from m0 on, and columns from n0 on. Empty unless scales=block.
struct BlockScales {
#if SCALES == 2
  const float* a;  // of this thread's first row
  const float* b;  // of the first columns
  int blocks;      // of k
  int rows;        // from this thread's first row to the last of D
  int columns;     // of B, in blocks, from the first to the last

  __device__ __forceinline__ BlockScales(const Scales& given, int m0, int n0, int M, int N, int K)
      : blocks(Scales::blocks(K)) {
    const Scales scales = given.of(blockIdx.z, M, N, K);
    const int row = m0 + static_cast<int>(threadIdx.x) % 128 / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / 4;
    rows = M - 1 - row;
    a = scales.a + static_cast<long long>(rows < 0 ? M - 1 : row) * blocks;
    b = scales.b + static_cast<long long>(n0 / Scales::kBlock) * blocks;
    columns = (N - 1) / Scales::kBlock - n0 / Scales::kBlock;
  }

  /// For 64 rows from `row` on, the k of block k / 128.
  __device__ __forceinline__ ScaleFactors of(int row, int k) const {
    const int block = k / Scales::kBlock < blocks ? k / Scales::kBlock : blocks - 1;  // beyond K all products are 0
    ScaleFactors factors;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int down = row + half * 8;
      const Accumulator of_a = a[static_cast<long long>(down < rows ? down : rows < 0 ? 0 : rows) * blocks + block];
#pragma unroll
      for (int i = 0; i < ScaleFactors::kScaleBlocks; ++i)
        factors.at[half][i] = of_a * b[static_cast<long long>(i < columns ? i : columns) * blocks + block];
    }
    return factors;
  }
#else
  __device__ __forceinline__ BlockScales() {}
  __device__ __forceinline__ BlockScales(const Scales&, int, int, int, int, int) {}
  __device__ __forceinline__ ScaleFactors of(int, int) const {
    return {};
  }
#endif
};

/// accumulators += A B, in parts of PROMOTE k; `k` is the first of the tiles at the shared addresses `tile_a` (of which
/// the rows from `row` on) and `tile_b` (from its first column on). Waits for the products.
template <typename FactorsOfParts>
__device__ __forceinline__ void multiply_promoted(Accumulators& accumulators, unsigned tile_a, int row, unsigned tile_b,
                                                  int k, const FactorsOfParts& scales) {
  constexpr int kStepsOfPart = PROMOTE / MmaTileA::kStepK;
#pragma unroll
  for (int from = 0; from < MmaTileA::kSteps; from += kStepsOfPart)
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
      const auto factors = scales.of(i * 64, k + from * MmaTileA::kStepK);
      Accumulator part[WGMMA_N / 2];
      wgmma_fence();
#pragma unroll
      for (int step = from; step < from + kStepsOfPart; ++step)
        Mma::mma(part, MmaTileA::describe(tile_a, row + i * 64, step), MmaTileB::describe(tile_b, 0, step),
                 step > from);
      wgmma_commit();
      wgmma_wait<0>();
      wgmma_settle(part);
#pragma unroll
      for (int j = 0; j < WGMMA_N / 2; ++j) accumulators[i][j] += SCALES == 2 ? factors.of(j) * part[j] : part[j];
    }
}

// Factors of scales=block where B is wgmma's A operand (SWAP_AB): columns of D lie along its rows, so a factor of B
// belongs to all accumulators that a thread has of 64 rows.

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
