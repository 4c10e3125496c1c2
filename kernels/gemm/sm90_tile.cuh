#pragma once
// The tiles of a GEMM on sm_90a, and what of them a consumer warpgroup multiplies. wgmma has 64 rows (M) and 8 to 256
// columns (N). With SWAP_AB it computes D^T = B^T A^T: its A operand is then the tile of B, and a tile of D is free
// along M in steps of 8 rows. Nothing is transposed in memory, wgmma reads either order. Defines wanted: BM, BN, BK,
// WGMMA_N, SWAP_AB, PINGPONG, CONSUMERS, CONSUMERS_ALONG_N; DTYPE, TRANS_A, TRANS_B.
#include "common/sm90/wgmma.cuh"
#define WGMMA_INSTRUCTION_N WGMMA_N
#include "common/sm90/wgmma_instruction.cuh"
#include "element_types.cuh"

constexpr Major kMajorA = TRANS_A ? Major::MN : Major::K, kMajorB = TRANS_B ? Major::K : Major::MN;
using TileA = SmemTile<DTYPE, BM, BK, kMajorA>;
using TileB = SmemTile<DTYPE, BN, BK, kMajorB>;
constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;  // tile of A, tile of B

// The operands of wgmma: its A (rows) and its B (columns), and how large the tile is along each.
constexpr int kMmaM = SWAP_AB ? BN : BM, kMmaN = SWAP_AB ? BM : BN;
constexpr Major kMmaMajorA = SWAP_AB ? kMajorB : kMajorA, kMmaMajorB = SWAP_AB ? kMajorA : kMajorB;
using MmaTileA = SmemTile<DTYPE, kMmaM, BK, kMmaMajorA>;
using MmaTileB = SmemTile<DTYPE, kMmaN, BK, kMmaMajorB>;
using Mma = Wgmma<DTYPE, WGMMA_N, kMmaMajorA, kMmaMajorB>;
constexpr int kMmaTileA = SWAP_AB ? TileA::kBytes : 0, kMmaTileB = SWAP_AB ? 0 : TileA::kBytes;  // where in a stage

// A consumer's part of the tile: kRows rows of wgmma by kColumns of its columns. With PINGPONG each has a tile of its
// own.
constexpr int kSharers = PINGPONG ? 1 : CONSUMERS;
constexpr int kRows = CONSUMERS_ALONG_N ? kMmaM : kMmaM / kSharers;
constexpr int kColumns = CONSUMERS_ALONG_N ? kMmaN / kSharers : kMmaN;
constexpr int kBlocks = kRows / 64;                    // of 64 rows
constexpr int kAccumulators = kBlocks * kColumns / 2;  // of a thread
static_assert(kRows % 64 == 0 && kColumns % WGMMA_N == 0, "whole instructions");

/// A consumer's accumulators, for each 64 of its rows: of the columns 8 j .. 8 j + 7 those numbered 4 j .. 4 j + 3.
using Accumulators = Accumulator[kBlocks][kColumns / 2];

/// Where a consumer's part of the operands lies in stage 0, as low words of descriptors.
struct Operands {
  unsigned a, b;
  /// `stages`: shared address of stage 0; (row, column): first of the consumer's part, of wgmma.
  __device__ __forceinline__ Operands(unsigned stages, int row, int column)
      : a(MmaTileA::low(stages + kMmaTileA) + MmaTileA::offset(row, 0) / 16),
        b(MmaTileB::low(stages + kMmaTileB) + MmaTileB::offset(column, 0) / 16) {}

  /// accumulators += A B for the k of stage `stage`, or = where `fresh`; the first BLOCKS x 64 rows. Issued, not
  /// awaited.
  template <int BLOCKS = kBlocks>
  __device__ __forceinline__ void multiply(Accumulators& accumulators, int stage, bool fresh) const {
    const unsigned moved = stage * (kStageBytes / 16);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < MmaTileA::kSteps; ++step)
#pragma unroll
      for (int i = 0; i < BLOCKS; ++i)
#pragma unroll
        for (int n = 0; n < kColumns; n += WGMMA_N)
          Mma::mma(*reinterpret_cast<Accumulator(*)[WGMMA_N / 2]>(&accumulators[i][n / 2]),
                   descriptor(a + moved + MmaTileA::offset(i * 64, step) / 16),
                   descriptor(b + moved + MmaTileB::offset(n, step) / 16), !fresh || step > 0);
    wgmma_commit();
  }
};
