#pragma once
// The ring of STAGES tiles of A and B between the warps that copy and those that multiply.
#include "raster.cuh"
#include "wgmma_tile.cuh"

using TileA = Tile<BM, !TRANS_A>;
using TileB = Tile<BN, TRANS_B != 0>;
constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;

/// Where a thread is in the ring: which stage, and the parity of the round.
struct Place {
  int stage = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void advance() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
  /// By any number of stages.
  __device__ __forceinline__ void skip(int stages) {
    const int to = stage + stages;
    parity ^= static_cast<unsigned>(to / STAGES) & 1;
    stage = to % STAGES;
  }
};

/// sums += A B for the k of one stage, or = where `fresh`; of A, ROWS rows from first_row on. Issued, not awaited.
template <int ROWS>
__device__ __forceinline__ void multiply_stage(Sum (&sums)[ROWS / 64][BN / 2], unsigned stage, int first_row,
                                               bool fresh) {
  fence_sums();
#pragma unroll
  for (int step = 0; step < kSteps; ++step)
#pragma unroll
    for (int i = 0; i < ROWS / 64; ++i)
      multiply_tiles<TRANS_A, !TRANS_B>(sums[i], TileA::describe_step(stage, first_row + i * 64, step),
                                        TileB::describe_step(stage + TileA::kBytes, 0, step), !fresh || step > 0);
  commit_products();
}
