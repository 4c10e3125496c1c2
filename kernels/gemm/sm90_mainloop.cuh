#pragma once
// The main loop of gemm_sm90: a pipeline of STAGES tiles of A and B between one thread that issues TMA loads (producer)
// and the warpgroups that multiply (consumers), in a cluster of CLUSTER_M x CLUSTER_N blocks. The blocks of a row of
// the cluster share A, each loads a part of it and multicasts it to all of them; those of a column share B. So a stage
// may be filled again when the consumers of all blocks of this row and this column have released it.
#include "common/sm90/named_barrier.cuh"
#include "common/sm90/pipeline.cuh"
#include "common/sm90/warpgroup.cuh"
#include "sm90_promotion.cuh"

constexpr int kCluster = CLUSTER_M * CLUSTER_N;
constexpr int kPeers = CLUSTER_M + CLUSTER_N - 1;  // blocks of this row and this column of the cluster
using State = PipelineState<STAGES>;

/// Named barriers besides 0 (all) and 1 + consumer (epilogue): consumer 0 may enter its main loop, consumer 1.
constexpr int kPingPong = 8;

/// The pipeline, and where this block stands in its cluster.
struct Mainloop {
  unsigned stages;  // shared address of STAGES x { tile of A, tile of B }
  Pipeline<STAGES> pipeline;
  unsigned row, column;  // of this block in its cluster

  __device__ __forceinline__ Mainloop(unsigned stages, Mbarrier* full, Mbarrier* empty)
      : stages(stages), pipeline{full, empty}, row(cluster_rank() % CLUSTER_M), column(cluster_rank() / CLUSTER_M) {}

  /// Producer, one thread: loads `count` stages of the rows and columns of D from (m0, n0) on: those from k on, or
  /// (`step` = -BK) from k backwards. `Alone`: all of it, for this block, as all blocks of the cluster do.
  template <bool Alone>
  __device__ __forceinline__ void load(State& state, const TensorMap& map_a, const TensorMap& map_b, int m0, int n0,
                                       int k, int count, int step = BK) const {
    constexpr unsigned kOneRow = CLUSTER_N == 1   ? 1u
                                 : CLUSTER_N == 2 ? 1u | 1u << CLUSTER_M
                                                  : (1u | 1u << CLUSTER_M) * (1u | 1u << 2 * CLUSTER_M);
    constexpr unsigned kOneColumn = (1u << CLUSTER_M) - 1;
    const auto of_row = static_cast<unsigned short>(kOneRow << row);
    const auto of_column = static_cast<unsigned short>(kOneColumn << column * CLUSTER_M);
    // Of a group of tiles, which follow one another, one operand is read again and again, the other passes by.
    const CachePolicy evict_first = CachePolicy::evict_first(), evict_last = CachePolicy::evict_last();
#pragma unroll 1
    for (; count > 0; --count, k += step) {
      pipeline.acquire(state);
      pipeline.expect(state, kStageBytes);
      const unsigned stage = stages + state.index * kStageBytes;
      Mbarrier& full = pipeline.full[state.index];
      load_operand<TileA, CLUSTER_N, Alone, RASTER != 1>(evict_last, evict_first, column, of_row, stage, map_a, full, m0, k);
      load_operand<TileB, CLUSTER_M, Alone, RASTER == 1>(evict_last, evict_first, row, of_column, stage + TileA::kBytes, map_b,
                                                         full, n0, k);
      state.advance();
    }
  }

 private:
  template <typename Tile, int Parts, bool Alone, bool Reused>
  static __device__ __forceinline__ void load_operand(CachePolicy evict_last, CachePolicy evict_first, int part,
                                                      unsigned short ranks, unsigned to, const TensorMap& map,
                                                      Mbarrier& full, int x, int k) {
    const int z = static_cast<int>(blockIdx.z);
    const auto copy = [&](unsigned place, int along, int across) {
      constexpr bool kHinted = Reused ? L2_HINTS >= 2 : L2_HINTS == 3;
      const CachePolicy policy = Reused ? evict_last : evict_first;
      if constexpr (Parts == 1 || Alone) {
        if constexpr (kHinted)
          TmaLoad::load(policy, map, place, full, along, across, z);
        else
          TmaLoad::load(map, place, full, along, across, z);
      } else {
        if constexpr (kHinted)
          TmaLoad::multicast(policy, map, place, full, ranks, along, across, z);
        else
          TmaLoad::multicast(map, place, full, ranks, along, across, z);
      }
    };
    if constexpr (Alone) {
#pragma unroll
      for (int other = 0; other < Parts; ++other) Tile::template for_each_box<Parts>(other, to, x, k, copy);
    } else {
      Tile::template for_each_box<Parts>(part, to, x, k, copy);
    }
  }
};

/// A consumer warpgroup at the pipeline.
struct Consumer {
  const Mainloop& mainloop;
  Operands operands;
  unsigned tile_b;  // where in a stage the consumer's part of wgmma's B begins
  int row;          // first of its part of wgmma's A
  State state;
  bool releases;         // this thread releases stages, to one block
  unsigned releases_to;  // that block's `empty` of stage 0

  __device__ __forceinline__ Consumer(const Mainloop& mainloop, int first_row, int first_column)
      : mainloop(mainloop),
        operands(mainloop.stages, first_row, first_column),
        tile_b(kMmaTileB + MmaTileB::offset(first_column, 0)),
        row(first_row),
        releases(threadIdx.x % 128 < kPeers) {
    const unsigned thread = threadIdx.x % 128;
    const unsigned other = thread - CLUSTER_M;  // of the other columns of this row
    const unsigned rank = thread < CLUSTER_M ? thread + mainloop.column * CLUSTER_M
                                             : mainloop.row + (other + (other >= mainloop.column)) * CLUSTER_M;
    releases_to = mainloop.pipeline.empty[0].at_rank(releases ? rank : 0);
  }

  /// accumulators = A B over `count` stages, the first being number `first` of K. With IN_FLIGHT the products of the
  /// last are not awaited: `finish` what this returns. `scales`: of this consumer's accumulators, for PROMOTE.
  __device__ __forceinline__ int multiply(Accumulators& accumulators, int first, int count, const BlockScales& scales) {
#if PROMOTE
#pragma unroll
    for (int i = 0; i < kBlocks; ++i)
#pragma unroll
      for (int j = 0; j < kColumns / 2; ++j) accumulators[i][j] = 0;
#if IN_FLIGHT
    multiply_overlapped(accumulators, first, count, scales);
#else
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      mainloop.pipeline.wait(state);
      const unsigned stage = mainloop.stages + state.index * kStageBytes;
      multiply_promoted(accumulators, stage + kMmaTileA, row, stage + tile_b, (first + i) * BK, scales);
      release(state.index);
      state.advance();
    }
#endif
    return 0;
#else
    int before = 0;
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      mainloop.pipeline.wait(state);
      operands.multiply(accumulators, state.index, i == 0);
      if (IN_FLIGHT == 0) {
        wgmma_wait<0>();
        release(state.index);
      } else if (i > 0) {
        wgmma_wait<1>();
        release(before);
      }
      before = state.index;
      state.advance();
    }
    return before;
#endif
  }
  __device__ __forceinline__ void finish(int last) const {
    if (IN_FLIGHT == 0 || PROMOTE != 0) return;
    wgmma_wait<0>();
    release(last);
  }
  __device__ __forceinline__ void release(int stage) const {
    if (releases) Mbarrier::arrive_at(releases_to + stage * static_cast<int>(sizeof(Mbarrier)));
  }

#if PROMOTE && IN_FLIGHT
 private:
  /// accumulators += A B, two parts at a time: the first is promoted while the second is multiplied. They are the two
  /// blocks of 64 rows, or, where a consumer has but one, two stages. (ptxas lets no part that was not promoted yet
  /// cross the end of a loop's round: it puts a wait there, C7517.)
  __device__ __forceinline__ void multiply_overlapped(Accumulators& accumulators, int first, int count,
                                                      const BlockScales& scales) {
    static_assert(BK == PROMOTE && kBlocks <= 2, "constraint overlapped");
    constexpr int kStages = 3 - kBlocks, kLast = kBlocks - 1;
    int i = 0;
#pragma unroll 1
    for (; i + kStages <= count; i += kStages) {
      Accumulator parts[2][WGMMA_N / 2];
      const int k = (first + i) * BK;
      const auto factors = scales.of(0, k), next = scales.of(kLast * 64, k + (kStages - 1) * BK);
      const int before = state.index;
      issue(parts[0], 0);
      if (kBlocks == 1) state.advance();
      issue(parts[1], kLast);
      wgmma_wait<1>();
      wgmma_settle(parts[0]);
      if (kBlocks == 1) release(before);
      promote(accumulators[0], parts[0], factors);
      wgmma_settle(accumulators[0]);  // not after the wait
      wgmma_wait<0>();
      wgmma_settle(parts[1]);
      release(state.index);
      promote(accumulators[kLast], parts[1], next);
      state.advance();
    }
    if (i < count) {
      mainloop.pipeline.wait(state);
      const unsigned stage = mainloop.stages + state.index * kStageBytes;
      multiply_promoted(accumulators, stage + kMmaTileA, row, stage + tile_b, (first + i) * BK, scales);
      release(state.index);
      state.advance();
    }
  }
  /// Waits for the stage, and issues the part of the rows of `block`.
  __device__ __forceinline__ void issue(Accumulator (&part)[WGMMA_N / 2], int block) const {
    if (block == 0 || kBlocks == 1) mainloop.pipeline.wait(state);
    const unsigned stage = mainloop.stages + state.index * kStageBytes;
    issue_part(part, stage + kMmaTileA, row + block * 64, stage + tile_b, 0);
  }
#endif
};
