#pragma once
// What a block of `hopper` multiplies, and how its consumers share it. D is BM x BN. The operand whose x is the row of
// wgmma is "first", the one whose x is its column "second": A and B, or, with SWAP, B and A (D^T = B^T A^T; nothing is
// transposed in memory, wgmma reads either order).
#include "wgmma_tile.cuh"

constexpr bool kAContiguous = TRANS_A == 0, kBContiguous = TRANS_B != 0;  // along k, in memory
using TileA = Tile<BM, kAContiguous>;
using TileB = Tile<BN, kBContiguous>;
constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;

constexpr int kFirst = SWAP ? BN : BM, kSecond = SWAP ? BM : BN;
constexpr bool kFirstContiguous = SWAP ? kBContiguous : kAContiguous;
constexpr bool kSecondContiguous = SWAP ? kAContiguous : kBContiguous;
using First = Tile<kFirst, kFirstContiguous>;
using Second = Tile<kSecond, kSecondContiguous>;

/// The consumers' threads ask L2 for what the first WARM stages of a tile will read, from x and k on: the copy engine
/// must fetch its map first, and then finds them on their way. `from`: the operand, of `extent` x.
template <int EXTENT, bool K_FIRST>
__device__ __forceinline__ void warm(const DTYPE* from, int x, int extent, int k, int K, int thread) {
  constexpr int kLine = 128 / DTYPE_BYTES;
  constexpr int kDeep = BK * (WARM > 0 ? WARM : 1);
  constexpr int kRows = K_FIRST ? EXTENT : kDeep, kLines = (K_FIRST ? kDeep : EXTENT) / kLine;
  const int rows = K_FIRST ? extent : K, length = K_FIRST ? K : extent;
  for (int i = thread; i < kRows * kLines; i += CONSUMERS * 128) {
    const int row = (K_FIRST ? x : k) + i / kLines, along = (K_FIRST ? k : x) + i % kLines * kLine;
    if (row < rows && along < length)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(from + static_cast<long long>(row) * length + along));
  }
}

// A consumer's part: kRows rows of wgmma by kColumns of its columns. With TURNS each consumer has a tile of its own.
constexpr int kSharers = TURNS ? 1 : CONSUMERS;
constexpr int kRows = SPLIT_COLUMNS ? kFirst : kFirst / kSharers;
constexpr int kColumns = SPLIT_COLUMNS ? kSecond / kSharers : kSecond;
static_assert(kRows % 64 == 0 && kColumns % WGMMA_N == 0, "whole instructions");

constexpr int kSums = kRows / 64 * kColumns / 2;  // of a thread

/// A consumer's sums, for each 64 of its rows: of the columns 8 j .. 8 j + 7 those numbered 4 j .. 4 j + 3.
using Sums = Sum[kRows / 64][kColumns / 2];

/// Where a consumer's part of the operands lies, as low words of descriptors.
struct Operands {
  unsigned first, second;
  __device__ __forceinline__ Operands(unsigned tiles, int row, int column)
      : first(describe_low(tiles + (SWAP ? TileA::kBytes : 0), First::kLeading) + First::offset(row, 0) / 16),
        second(describe_low(tiles + (SWAP ? 0 : TileA::kBytes), Second::kLeading) + Second::offset(column, 0) / 16) {}

  /// sums += first x second for the k of stage `stage`, or = where `fresh`. Issued, not awaited.
  __device__ __forceinline__ void multiply(Sums& sums, int stage, bool fresh) const {
    const unsigned moved = stage * (kStageBytes / 16);
    fence_sums();
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int i = 0; i < kRows / 64; ++i)
#pragma unroll
        for (int n = 0; n < kColumns; n += WGMMA_N)
          multiply_tiles<!kFirstContiguous, !kSecondContiguous>(
              *reinterpret_cast<Sum(*)[WGMMA_N / 2]>(&sums[i][n / 2]),
              described(first + moved + First::offset(i * 64, step) / 16),
              described(second + moved + Second::offset(n, step) / 16), !fresh || step > 0);
    commit_products();
  }
};
