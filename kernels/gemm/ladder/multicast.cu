// Rung 16, multicast: neighbouring blocks share what they load.
//
// Idea      * the CLUSTER blocks of a cluster, one below the other in D, need the same tile of B. Each loads a
//             CLUSTER-th of it and has TMA write that part into the shared memory of all of them: B is read from L2
//             once instead of CLUSTER times.
//           * a stage may be filled when the consumers of all blocks of the cluster have released it, since each
//             block's loads write into all: consumers arrive at the `empty` mbarriers of every block.
//           * nobody leaves before the last arrival: a block that has ended has no shared memory.
//           Everything else is persistent.
// Parameters as persistent; CLUSTER.
// Expects   as persistent.
// Operations N^3 (1 / BN + 1 / (CLUSTER BM)) reads of L2.
// Counted   256^3 bf16, defaults, on the emulated device: 262,144 bytes loaded from global memory, as the formula
//           says: two thirds of persistent's 393,216.
// Lacks     whatever persistent lacks.
// Predicted over persistent: 128 x 256 tiles read 45 bytes a cycle and multiprocessor, of 64 that its port takes; two
//           blocks that share B read 30. Nothing where the port was not the bottleneck, more where L2 is.
// Measured on an H200, every rung at its defaults in the same rounds, 4096^3 bf16: 177.8 us, 773 TFLOP/s, 0.99 times as
//   fast as persistent: the port was not the bottleneck.
//   Arriving at the other blocks' mbarriers with .release.cluster, as one would write it at first, costs a third: the
//   default suffices, since wgmma has read what is released.
#include "common/sm90/pipeline.cuh"
#include "common/sm90/warpgroup.cuh"
#include "tma_epilogue.cuh"

constexpr int kRows = BM / CONSUMERS, kBlocks = kRows / 64;  // of a consumer

/// STAGES x { tile of A, tile of B }, then the epilogue stages of each consumer.
extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         const __grid_constant__ TensorMap map_d, int M, int N, int K, float alpha) {
  __shared__ Mbarrier full[STAGES], empty[STAGES];
  const Pipeline<STAGES> pipeline{full, empty};
  const unsigned stages = shared_address(shared);
  const int group = warpgroup_index();
  // Clusters are whole: there may be tiles below the last row of D, of zeros, of which nothing is stored.
  const int tiles_m = (M - 1) / (BM * CLUSTER) + 1, tiles_n = (N - 1) / BN + 1;
  const int rank = static_cast<int>(cluster_rank());
  const int first = static_cast<int>(blockIdx.x) / CLUSTER, step = static_cast<int>(gridDim.x) / CLUSTER;
  const auto origin = [&](int tile) {
    const TileCoordinate at = raster_groups<GROUP>(tile, tiles_m, tiles_n);
    return Origin{(at.row * CLUSTER + rank) * BM, at.column * BN};
  };
  if (threadIdx.x == 0) pipeline.init(1, CONSUMERS * CLUSTER);
  cluster_sync();

  PipelineState<STAGES> state;
  if (group == CONSUMERS) {
    warpgroup_reg_dealloc<40>();
    if (threadIdx.x == CONSUMERS * 128)
#pragma unroll 1
      for (int tile = first; tile < tiles_m * tiles_n; tile += step) {
        const Origin at = origin(tile);
#pragma unroll 1
        for (int k = 0; k < K; k += BK) {
          pipeline.acquire(state);
          pipeline.expect(state, kStageBytes);
          const unsigned stage = stages + state.index * kStageBytes;
          TileA::load(stage, map_a, full[state.index], at.m, k);
          TileB::load_rows<CLUSTER>(rank, (1u << CLUSTER) - 1, stage + TileA::kBytes, map_b, full[state.index], at.n,
                                    k);
          state.advance();
        }
      }
  } else {
    warpgroup_reg_alloc<232>();
    const unsigned out = stages + STAGES * kStageBytes + group * kOutBytes;
    const int row = group * kRows;
#pragma unroll 1
    for (int tile = first; tile < tiles_m * tiles_n; tile += step) {
      const Origin at = origin(tile);
      Accumulators<kBlocks> accumulators;
      int before = 0;
#pragma unroll 1
      for (int k = 0; k < K; k += BK) {
        pipeline.wait(state);
        multiply_stage(accumulators, stages + state.index * kStageBytes, row, k == 0);
        if (k > 0) {
          wgmma_wait<1>();
          if (threadIdx.x % 128 < CLUSTER) pipeline.release_at(before, threadIdx.x % 128);
        }
        before = state.index;
        state.advance();
      }
      wgmma_wait<0>();
      if (threadIdx.x % 128 < CLUSTER) pipeline.release_at(before, threadIdx.x % 128);
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        wgmma_settle(accumulators[i]);
        store_by_tma(accumulators[i], out, 1 + group, map_d, at.m + row + i * 64, at.n, alpha);
      }
    }
    if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
  }
  __syncwarp();
  cluster_sync();  // others may still signal this block
}
