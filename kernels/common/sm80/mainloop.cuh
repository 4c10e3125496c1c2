#pragma once
// The main loop of a product by mma.sync: Stages tiles of A and B in shared memory, filled by cp.async while older ones
// are multiplied; Wm x Wn accumulators a warp in registers, with the fragments of the next step loaded during the
// present one. PTX ISA, mma.sync, cp.async.wait_group. All threads of a block call copy_ahead and multiply together;
// multiply has one barrier a tile and ends with one, after which shared memory is free.
#include "common/sm80/operand_tile.cuh"

namespace sm80 {

/// TileA, TileB: OperandTiles of one Bk and one number of threads.
template <typename TileA, typename TileB, int Wm, int Wn, int Stages>
struct Mainloop {
  using Number = typename TileA::Number;
  using Accumulator = typename AccumulatorOf<Number>::Type;
  static constexpr int kBk = TileA::kBk, kSteps = TileA::kSteps;
  static constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;
  static constexpr int kWarpsM = TileA::kExtent / Wm;
  static constexpr int kFragmentsM = Wm / 16, kFragmentsN = Wn / 16;
  static constexpr int kPasses = TileA::kPasses + TileB::kPasses;

  /// Of a warp: 16 x 8 tiles, as mma leaves them.
  using Accumulators = Accumulator[kFragmentsM][2 * kFragmentsN][4];

  struct Fragments {
    Fragment a[kFragmentsM];
    Fragment b[kFragmentsN];
  };

  /// Where a warp stands in the block's tile, and where its lanes read.
  struct Warp {
    int m, n;  // first row and column within the tile
    int first_a, first_b;
    __device__ __forceinline__ Warp() {
      const int warp = static_cast<int>(threadIdx.x) / 32;
      m = warp % kWarpsM * Wm;
      n = warp / kWarpsM * Wn;
      first_a = TileA::first_place(m);
      first_b = TileA::kBytes + TileB::first_place(n);
    }
  };

  static __device__ __forceinline__ void load(Fragments& to, unsigned stage, const Warp& warp, int step) {
#pragma unroll
    for (int i = 0; i < kFragmentsM; ++i) TileA::load(to.a[i], stage, warp.first_a, step, i);
#pragma unroll
    for (int j = 0; j < kFragmentsN; ++j) TileB::load(to.b[j], stage, warp.first_b, step, j);
  }

  static __device__ __forceinline__ void multiply(Accumulators& accumulators, const Fragments& f) {
#pragma unroll
    for (int i = 0; i < kFragmentsM; ++i)
#pragma unroll
      for (int n = 0; n < 2 * kFragmentsN; ++n) {
        // Every other row backwards: the next product shares its B with this one.
        const int j = i % 2 == 0 ? n : 2 * kFragmentsN - 1 - n;
        mma_m16n8<Number>(accumulators[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
      }
  }

  /// Passes [begin, end) of both operands' next tiles.
  static __device__ __forceinline__ void copy_passes(const TileA& a, const TileB& b, unsigned stage, int begin, int end,
                                                     bool wanted) {
#pragma unroll
    for (int i = 0; i < kPasses; ++i) {
      if (i < begin || i >= end) continue;
      if (i < TileA::kPasses)
        a.copy(stage, i, wanted);
      else
        b.copy(stage + TileA::kBytes, i - TileA::kPasses, wanted);
    }
  }

  /// Tiles of Bk that `length` k are.
  static __device__ __forceinline__ int tiles_of(int length) { return length / kBk + (length % kBk != 0); }

  /// Starts the copies of the first Stages - 1 tiles of `length` k, from where a and b stand; the first `front` k do
  /// not exist in an operand of which k is not the contiguous index.
  static __device__ __forceinline__ void copy_ahead(TileA& a, TileB& b, unsigned shared, int length, int front) {
    const int tiles = tiles_of(length);
    if (tiles == 0) return;
    // The ragged tile comes first: the others, in the loop, then need no look at the end of k.
    const int depth = length - (tiles - 1) * kBk;
    a.copy_first(shared, front, depth);
    b.copy_first(shared + TileA::kBytes, front, depth);
    cp_async_commit();
    a.advance(depth);
    b.advance(depth);
#pragma unroll
    for (int stage = 1; stage < Stages - 1; ++stage) {
      copy_passes(a, b, shared + stage * kStageBytes, 0, kPasses, stage < tiles);
      cp_async_commit();
      a.advance(kBk);
      b.advance(kBk);
    }
  }

  /// accumulators += A B over `length` k, whose first tiles copy_ahead has begun to copy.
  static __device__ __forceinline__ void multiply(Accumulators& accumulators, TileA& a, TileB& b, const Warp& warp,
                                                  unsigned shared, int length) {
    const int tiles = tiles_of(length);
    if (tiles == 0) return;
    cp_async_wait<Stages - 2>();
    __syncthreads();

    Fragments fragments[2];
    load(fragments[0], shared, warp, 0);
    unsigned read = shared;                                // the stage that is multiplied
    unsigned write = shared + (Stages - 1) * kStageBytes;  // the stage that is filled: the one multiplied before
    constexpr int kCopySteps = kSteps > 1 ? kSteps - 1 : 1;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
      const bool wanted = tile + Stages - 1 < tiles;
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if (step < kCopySteps)
          copy_passes(a, b, write, step * kPasses / kCopySteps, (step + 1) * kPasses / kCopySteps, wanted);
        if (step == kSteps - 1) {
          // One group per tile, empty or not, so that the count tells: the next tile has arrived, for every thread, and
          // nobody reads the present one any more.
          cp_async_commit();
          a.advance(kBk);
          b.advance(kBk);
          cp_async_wait<Stages - 2>();
          __syncthreads();
          write = read;
          read = read + kStageBytes == shared + Stages * kStageBytes ? shared : read + kStageBytes;
        }
        load(fragments[(step + 1) % 2], read, warp, (step + 1) % kSteps);
        multiply(accumulators, fragments[step % 2]);
      }
    }
    cp_async_wait<0>();
    __syncthreads();
  }
};

}  // namespace sm80
