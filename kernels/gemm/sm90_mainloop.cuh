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
  /// (`step` = -BK) from k backwards.
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
      load_operand<TileA, CLUSTER_N, RASTER != 1>(evict_last, evict_first, column, of_row, stage, map_a, full, m0, k);
      load_operand<TileB, CLUSTER_M, RASTER == 1>(evict_last, evict_first, row, of_column, stage + TileA::kBytes, map_b,
                                                  full, n0, k);
      state.advance();
    }
  }

 private:
  template <typename Tile, int Parts, bool Reused>
  static __device__ __forceinline__ void load_operand(CachePolicy evict_last, CachePolicy evict_first, int part,
                                                      unsigned short ranks, unsigned to, const TensorMap& map,
                                                      Mbarrier& full, int x, int k) {
    const int z = static_cast<int>(blockIdx.z);
    Tile::template for_each_box<Parts>(part, to, x, k, [&](unsigned place, int along, int across) {
      constexpr bool kHinted = Reused ? L2_HINTS >= 2 : L2_HINTS == 3;
      const CachePolicy policy = Reused ? evict_last : evict_first;
      if constexpr (Parts == 1) {
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
    });
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
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      mainloop.pipeline.wait(state);
      const unsigned stage = mainloop.stages + state.index * kStageBytes;
      multiply_promoted(accumulators, stage + kMmaTileA, row, stage + tile_b, (first + i) * BK, scales);
      release(state.index);
      state.advance();
    }
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
    if (IN_FLIGHT == 0) return;
    wgmma_wait<0>();
    release(last);
  }
  __device__ __forceinline__ void release(int stage) const {
    if (releases) Mbarrier::arrive_at(releases_to + stage * static_cast<int>(sizeof(Mbarrier)));
  }
};
