#pragma once
// The ring of STAGES tiles of A and B in a cluster of CLUSTER_M x CLUSTER_N blocks. The blocks of a row of the cluster
// share A, each copies a part of it to all of them; those of a column share B. So a stage may be filled again when the
// consumers of all blocks of this row and this column have given it back.
#include "hopper_tile.cuh"
#include "ring_place.cuh"
#include "wgmma_promote.cuh"

constexpr int kCluster = CLUSTER_M * CLUSTER_N;
constexpr int kGivers = CLUSTER_M + CLUSTER_N - 1;  // blocks of this row and this column of the cluster

// Named barriers: it is consumer 0's turn to multiply, consumer 1's (kTurn + 1); the first consumer has its lead.
constexpr int kTurn = 8, kLead = 10;

/// Those who wait at the barrier may go on, as far as this warpgroup is concerned. `threads`: who waits and who passes.
__device__ __forceinline__ void pass_turn(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/// STAGES x { tile of A, tile of B } at the shared address `tiles`; two barriers a stage: its bytes have come, and it
/// may be filled again.
struct Ring {
  unsigned tiles;
  Barrier* full;
  Barrier* empty;
  unsigned row, column;  // of this block in its cluster

  __device__ __forceinline__ Ring(unsigned tiles, Barrier* full, Barrier* empty)
      : tiles(tiles), full(full), empty(empty), row(cluster_rank() % CLUSTER_M), column(cluster_rank() / CLUSTER_M) {}

  /// One thread; then a barrier of the cluster (or, of a single block, of the others that use the ring).
  __device__ __forceinline__ void init() const {
    for (int stage = 0; stage < STAGES; ++stage) {
      init_barrier(&full[stage], 1);
      init_barrier(&empty[stage], kSharers * kGivers);
    }
    fence_barriers();
  }

  /// One thread of the warps that copy: the `stages` tiles of the rows and columns of D from (m0, n0) on, from k on.
  __device__ __forceinline__ void copy(Place& place, const TensorMap& map_a, const TensorMap& map_b, int m0, int n0,
                                       int k, int stages) const {
    constexpr unsigned kOneRow = CLUSTER_N == 1   ? 1u
                                 : CLUSTER_N == 2 ? 1u | 1u << CLUSTER_M
                                                  : (1u | 1u << CLUSTER_M) * (1u | 1u << 2 * CLUSTER_M);
    constexpr unsigned kOneColumn = (1u << CLUSTER_M) - 1;
    const auto of_row = static_cast<unsigned short>(kOneRow << row);
    const auto of_column = static_cast<unsigned short>(kOneColumn << column * CLUSTER_M);
    const int z = static_cast<int>(blockIdx.z);
#pragma unroll 1
    for (; stages > 0; --stages, k += BK) {
      wait(&empty[place.stage], place.parity ^ 1);  // at first all are
      arrive_and_expect(&full[place.stage], kStageBytes);
      const unsigned stage = tiles + place.stage * kStageBytes;
      TileA::load_part<CLUSTER_N>(column, of_row, stage, map_a, m0, k, z, &full[place.stage]);
      TileB::load_part<CLUSTER_M>(row, of_column, stage + TileA::kBytes, map_b, n0, k, z, &full[place.stage]);
      place.advance();
    }
  }
};

/// A consumer warpgroup at the ring.
struct Consumer {
  const Ring& ring;
  Operands operands;
  unsigned second;  // where in a stage the second operand's part begins
  int row;          // first of the first operand's part
  Place place;
  bool gives;         // this thread gives stages back, to one block
  unsigned gives_to;  // its barrier of stage 0

  __device__ __forceinline__ Consumer(const Ring& ring, int first_row, int first_column)
      : ring(ring),
        operands(ring.tiles, first_row, first_column),
        second((SWAP ? 0 : TileA::kBytes) + Second::offset(first_column, 0)),
        row(first_row),
        gives(threadIdx.x % 128 < kGivers) {
    const unsigned thread = threadIdx.x % 128;
    const unsigned other = thread - CLUSTER_M;  // of the other columns of this row
    const unsigned rank =
        thread < CLUSTER_M ? thread + ring.column * CLUSTER_M : ring.row + (other + (other >= ring.column)) * CLUSTER_M;
    gives_to = barrier_of_block(&ring.empty[0], gives ? rank : 0);
  }

  /// sums = first x second over so many stages. IN_FLIGHT: the last is still multiplied; `finish` it. `leads`: lets the
  /// other consumers begin after LEAD stages. `first`: the first stage of k, and `scales` of this consumer's sums, for
  /// PROMOTE.
  __device__ __forceinline__ int multiply(Sums& sums, int first, int stages, bool leads, const BlockScales& scales) {
#if PROMOTE
    multiply_promoted(sums, first, stages, leads, scales);
    return 0;
#else
    int before = 0;
#pragma unroll 1
    for (int i = 0; i < stages; ++i) {
      wait(&ring.full[place.stage], place.parity);
      operands.multiply(sums, place.stage, i == 0);
      if (IN_FLIGHT == 0) {
        wait_products<0>();
        give_back(place.stage);
      } else if (i > 0) {
        wait_products<1>();
        give_back(before);
      }
      let_others_begin(leads, i, stages);
      before = place.stage;
      place.advance();
    }
    return before;
#endif
  }
#if PROMOTE
  __device__ __forceinline__ void multiply_promoted(Sums& sums, int first, int stages, bool leads,
                                                    const BlockScales& scales) {
#pragma unroll
    for (int i = 0; i < kRows / 64; ++i) clear_sums(sums[i]);
#pragma unroll 1
    for (int i = 0; i < stages; ++i) {
      wait(&ring.full[place.stage], place.parity);
      const unsigned stage = ring.tiles + place.stage * kStageBytes;
      promote<First, Second>(sums, stage + (SWAP ? TileA::kBytes : 0), row, stage + second, (first + i) * BK, scales);
      give_back(place.stage);
      let_others_begin(leads, i, stages);
      place.advance();
    }
  }
#endif
  /// After stage i of so many.
  __device__ __forceinline__ void let_others_begin(bool leads, int i, int stages) const {
    if (LEAD > 0 && leads && i == (stages < LEAD ? stages : LEAD) - 1) pass_turn(kLead, CONSUMERS * 128);
  }
  __device__ __forceinline__ void finish(int last) const {
    if (IN_FLIGHT == 0 || PROMOTE != 0) return;
    wait_products<0>();
    give_back(last);
  }
  __device__ __forceinline__ void give_back(int stage) const {
    if (gives) arrive_at(gives_to + stage * static_cast<int>(sizeof(Barrier)));
  }
};
