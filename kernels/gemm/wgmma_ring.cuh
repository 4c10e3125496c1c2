#pragma once
// The ring of STAGES tiles of A and B between the warps that copy and those that multiply.
#include "raster.cuh"
#include "ring_place.cuh"
#include "wgmma_promote.cuh"
#include "wgmma_tile.cuh"

using TileA = Tile<BM, !TRANS_A>;
using TileB = Tile<BN, TRANS_B != 0>;
constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;

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

/// STAGES x { tile of A, tile of B } at the shared address `tiles`. Two barriers a stage: `full` (the bytes have come)
/// and `empty` (all consumers, of all blocks of the cluster that copy to each other, are done with it).
struct Ring {
  unsigned tiles;
  Barrier* full;
  Barrier* empty;

  /// One thread; then a barrier of the block (or cluster). `consumers`: warpgroups that give a stage back; `copiers`:
  /// arrivals of those that fill one.
  __device__ __forceinline__ void init(unsigned consumers, unsigned copiers = 1) const {
    for (int stage = 0; stage < STAGES; ++stage) {
      init_barrier(&full[stage], copiers);
      init_barrier(&empty[stage], consumers);
    }
    fence_barriers();
  }

  /// One thread of the warps that copy: the tiles of A and B for k from `first_k` to `end_k` of the tile of D at (m0,
  /// n0). Each of PARTS blocks, of rank `rank` in its cluster, copies its part of B to all.
  template <int PARTS>
  __device__ __forceinline__ void copy(Place& place, const TensorMap& map_a, const TensorMap& map_b, int m0, int n0,
                                       int first_k, int end_k, unsigned rank) const {
    constexpr unsigned short kAllRanks = (1u << PARTS) - 1;
    const int z = static_cast<int>(blockIdx.z);
#pragma unroll 1
    for (int k = first_k; k < end_k; k += BK) {
      wait(&empty[place.stage], place.parity ^ 1);  // at first all are
      arrive_and_expect(&full[place.stage], kStageBytes);
      const unsigned stage = tiles + place.stage * kStageBytes;
      TileA::load(stage, map_a, m0, k, z, &full[place.stage]);
      TileB::load_part<PARTS>(rank, kAllRanks, stage + TileA::kBytes, map_b, n0, k, z, &full[place.stage]);
      place.advance();
    }
  }

  /// A consumer: sums = A B over these k; of A, ROWS rows from first_row on. One group of products stays in flight
  /// while the next is issued, so a stage is given back one tile late. The last is not, and still multiplied: `finish`
  /// it. With PROMOTE none stays in flight.
  template <int ROWS, int PARTS>
  __device__ __forceinline__ int multiply(Sum (&sums)[ROWS / 64][BN / 2], Place& place, int first_row, int first_k,
                                          int end_k, const BlockScales& scales) const {
    if constexpr (PROMOTE != 0) {
#pragma unroll
      for (int i = 0; i < ROWS / 64; ++i) clear_sums(sums[i]);
#pragma unroll 1
      for (int k = first_k; k < end_k; k += BK) {
        wait(&full[place.stage], place.parity);
        const unsigned stage = tiles + place.stage * kStageBytes;
        promote<TileA, TileB>(sums, stage, first_row, stage + TileA::kBytes, k, scales);
        give_back<PARTS>(place.stage);
        place.advance();
      }
      return 0;
    }
    int before = 0;
#pragma unroll 1
    for (int k = first_k; k < end_k; k += BK) {
      wait(&full[place.stage], place.parity);
      multiply_stage<ROWS>(sums, tiles + place.stage * kStageBytes, first_row, k == first_k);
      if (k > first_k) {
        wait_products<1>();
        give_back<PARTS>(before);
      }
      before = place.stage;
      place.advance();
    }
    return before;
  }

  /// Waits for the products of the last stage of `multiply`: then the sums may be read.
  template <int PARTS>
  __device__ __forceinline__ void finish(int last) const {
    if (PROMOTE != 0) return;
    wait_products<0>();
    give_back<PARTS>(last);
  }

  /// A consumer is done with the stage: to the blocks that fill it.
  template <int PARTS>
  __device__ __forceinline__ void give_back(int stage) const {
    if (PARTS == 1) {
      if (threadIdx.x % 128 == 0) arrive(&empty[stage]);
    } else {
      if (threadIdx.x % 128 < PARTS) arrive_at(&empty[stage], threadIdx.x % 128);
    }
  }
};
