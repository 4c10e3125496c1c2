#pragma once
// The main loop of the tensor-core rungs: STAGES tiles of A and B in shared memory, filled by cp.async while older ones
// are multiplied; WM x WN sums per warp in registers, with the fragments of the next step loaded during the present
// one.
#include "mma_operand.cuh"

using OperandA = Operand<BM, !TRANS_A, true>;
using OperandB = Operand<BN, TRANS_B != 0, false>;
constexpr int kStageBytes = OperandA::kBytes + OperandB::kBytes;
constexpr int kWarpsM = BM / WM;
constexpr int kFragmentsM = WM / 16;
constexpr int kFragmentsN = WN / 16;
constexpr int kPasses = OperandA::kPasses + OperandB::kPasses;

/// Sums of a warp: 16 x 8 tiles, as mma leaves them.
using Sums = Sum[kFragmentsM][2 * kFragmentsN][4];

struct Fragments {
  Fragment a[kFragmentsM];
  Fragment b[kFragmentsN];
};

/// Where a warp stands in the block's tile, and where its lanes read.
struct WarpPlace {
  int m, n;  // first row and column within the tile
  int first_a, first_b;
  __device__ __forceinline__ WarpPlace() {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    m = warp % kWarpsM * WM;
    n = warp / kWarpsM * WN;
    first_a = OperandA::first_place(m);
    first_b = OperandA::kBytes + OperandB::first_place(n);
  }
};

__device__ __forceinline__ void load_fragments(Fragments& to, unsigned stage, const WarpPlace& warp, int step) {
#pragma unroll
  for (int i = 0; i < kFragmentsM; ++i) OperandA::load(to.a[i], stage, warp.first_a, step, i);
#pragma unroll
  for (int j = 0; j < kFragmentsN; ++j) OperandB::load(to.b[j], stage, warp.first_b, step, j);
}

__device__ __forceinline__ void multiply_fragments(Sums& sums, const Fragments& f) {
#pragma unroll
  for (int i = 0; i < kFragmentsM; ++i)
#pragma unroll
    for (int n = 0; n < 2 * kFragmentsN; ++n) {
      // Every other row backwards: the next product shares its B with this one.
      const int j = i % 2 == 0 ? n : 2 * kFragmentsN - 1 - n;
      multiply_tile<DTYPE>(sums[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
    }
}

/// Passes [begin, end) of both operands' next tiles.
__device__ __forceinline__ void copy_passes(const OperandA& a, const OperandB& b, unsigned stage, int begin, int end,
                                            bool wanted) {
#pragma unroll
  for (int i = 0; i < kPasses; ++i) {
    if (i < begin || i >= end) continue;
    if (i < OperandA::kPasses)
      a.copy(stage, i, wanted);
    else
      b.copy(stage + OperandA::kBytes, i - OperandA::kPasses, wanted);
  }
}

/// Tiles of BK that `length` k are.
__device__ __forceinline__ int tiles_of(int length) { return length / BK + (length % BK != 0); }

/// Starts the copies of the first STAGES - 1 tiles of `length` k, from where a and b stand; the first `front` k do not
/// exist in an operand of which k is not the contiguous index.
__device__ __forceinline__ void copy_ahead(OperandA& a, OperandB& b, unsigned shared, int length, int front) {
  const int tiles = tiles_of(length);
  if (tiles == 0) return;
  // The ragged tile comes first: the others, in the loop, then need no look at the end of k.
  const int depth = length - (tiles - 1) * BK;
  a.copy_first(shared, front, depth);
  b.copy_first(shared + OperandA::kBytes, front, depth);
  commit_copies();
  a.advance(depth);
  b.advance(depth);
#pragma unroll
  for (int stage = 1; stage < STAGES - 1; ++stage) {
    copy_passes(a, b, shared + stage * kStageBytes, 0, kPasses, stage < tiles);
    commit_copies();
    a.advance(BK);
    b.advance(BK);
  }
}

/// sums += A B over `length` k, whose first tiles copy_ahead has begun to copy. Leaves shared memory free for other
/// use.
__device__ __forceinline__ void multiply_copied(Sums& sums, OperandA& a, OperandB& b, const WarpPlace& warp,
                                                unsigned shared, int length) {
  const int tiles = tiles_of(length);
  if (tiles == 0) return;
  wait_copies<STAGES - 2>();
  __syncthreads();

  Fragments fragments[2];
  load_fragments(fragments[0], shared, warp, 0);
  unsigned read = shared;                                // the stage that is multiplied
  unsigned write = shared + (STAGES - 1) * kStageBytes;  // the stage that is filled: the one multiplied before
  constexpr int kCopySteps = kSteps > 1 ? kSteps - 1 : 1;
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    const bool wanted = tile + STAGES - 1 < tiles;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step < kCopySteps)
        copy_passes(a, b, write, step * kPasses / kCopySteps, (step + 1) * kPasses / kCopySteps, wanted);
      if (step == kSteps - 1) {
        // One group per tile, empty or not, so that the count tells: the next tile has arrived, for every thread, and
        // nobody reads the present one any more.
        commit_copies();
        a.advance(BK);
        b.advance(BK);
        wait_copies<STAGES - 2>();
        __syncthreads();
        write = read;
        read = read + kStageBytes == shared + STAGES * kStageBytes ? shared : read + kStageBytes;
      }
      load_fragments(fragments[(step + 1) % 2], read, warp, (step + 1) % kSteps);
      multiply_fragments(sums, fragments[step % 2]);
    }
  }
  wait_copies<0>();
  __syncthreads();
}

/// Both.
__device__ __forceinline__ void multiply(Sums& sums, OperandA a, OperandB b, const WarpPlace& warp, unsigned shared,
                                         int length, int front) {
  copy_ahead(a, b, shared, length, front);
  multiply_copied(sums, a, b, warp, shared, length);
}
