// Rung 2, gemm_grouped_sm90: all groups in one launch, wgmma at the speed of a single product.
//
// Idea      * persistent: one block per multiprocessor takes one tile of D after another, from whatever group
//             (schedule.cuh). A tile never holds rows of two groups: it multiplies with one matrix. How many tiles
//             each group has is known to the device only; every block counts them for itself, in a microsecond.
//           * the producer runs ahead over tiles and groups: where groups have few rows, what counts is that
//             loads of B never stop.
//           * the last tile of a group is as long as the others for TMA, which reads rows of the next group that
//             nobody looks at. But 64 rows that have none of the group's are not multiplied, and what belongs to
//             others is not written (store.cuh).
//           * wgmma has 64 rows and 8 to 256 columns. With SWAP_AB the rows of D are its columns (D^T = B^T A^T):
//             tiles of 16 or 48 rows, for groups of few.
//           * the blocks of a cluster have neighbouring columns of the same rows: each loads a part of A's tile and
//             multicasts it to all of them.
// Parameters BM, BN tile of D; BK; STAGES; CONSUMERS; SWAP_AB; GROUP rows of tiles walked together, for L2; CLUSTER.
// Expects   bf16 or fp16; rows of A, B and D of whole 16 bytes.
// Operations with t tiles of BM rows in all groups: t N (K + K BM / BN / CLUSTER) reads; 2 N K per row, of which
//           there are t BM, or with SWAP_AB = 0 those of a group rounded up to 64.
// Lacks     tiles are shared out beforehand, not when a block is free. (Tiles posted to the consumers through shared
//           memory were tried: the compiler no longer knows that a warp goes one way, descriptors leave the uniform
//           registers, and 8192 x 14336 x 4096 in 8 groups takes 1474 us instead of 1317.)
// Measured on H200, bf16 nn, beside torch 2.11's _grouped_mm (8 rounds of 20 calls, alternating; tokens x N x K, groups):
//   8192 x 14336 x 4096, 8: 1312 us, 733 TFLOP/s, 1.024 times as fast [1.021, 1.027]; 8192 x 1408 x 2048, 64: 131.1
//   us, 1.35 [1.34, 1.36]; 4096 x 2048 x 7168, 128: 895.8 us, 4.2 TB/s, 1.31 [1.30, 1.32].
#include "common/sm90/pipeline.cuh"
#include "common/sm90/warpgroup.cuh"
#include "schedule.cuh"
#include "store.cuh"

constexpr unsigned short kAllRanks = (1u << CLUSTER) - 1;
using State = PipelineState<STAGES>;

/// STAGES x { tile of A, tile of B }, then the epilogue stages of each consumer, then the table of the schedule.
extern __shared__ __align__(1024) unsigned char shared[];

/// A consumer warpgroup at the pipeline.
struct Consumer {
  Operands operands;
  Pipeline<STAGES> pipeline;
  State state;

  /// All k of a tile, for the first `wanted` of BLOCKS x 64 rows of wgmma; the stages are released.
  template <int BLOCKS>
  __device__ __forceinline__ void multiply_all(Accumulators& accumulators, int wanted, int K) {
    if constexpr (BLOCKS > 0 && !SWAP_AB)
      if (wanted < BLOCKS) return multiply_all<BLOCKS - 1>(accumulators, wanted, K);
    int before = 0;
#pragma unroll 1
    for (int k = 0; k < K; k += BK) {
      pipeline.wait(state);
      if constexpr (BLOCKS > 0) {
        operands.multiply<BLOCKS>(accumulators, state.index, k == 0);
        if (k > 0) {
          wgmma_wait<1>();
          release(before);
        }
      } else {
        release(state.index);
      }
      before = state.index;
      state.advance();
    }
    if constexpr (BLOCKS > 0) {
      wgmma_wait<0>();
      release(before);
    }
  }

  /// To the blocks that fill the stage.
  __device__ __forceinline__ void release(int stage) const {
    if (CLUSTER == 1) {
      if (threadIdx.x % 128 == 0) pipeline.release(stage);
    } else {
      if (threadIdx.x % 128 < CLUSTER) pipeline.release_at(stage, threadIdx.x % 128);
    }
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         const __grid_constant__ TensorMap map_d, const int* __restrict__ offsets, DTYPE* __restrict__ D, int N, int K,
         int groups) {
  __shared__ Mbarrier full[STAGES], empty[STAGES];
  __shared__ int sums_of_warps[THREADS / 32];
  const unsigned tiles = shared_address(shared);
  const Pipeline<STAGES> pipeline{full, empty};
  constexpr int kOutAt = STAGES * kStageBytes;
  constexpr int kTableAt = kOutAt + CONSUMERS * kOutStages * kOutStageBytes;
  Before* table = reinterpret_cast<Before*>(shared + kTableAt);
  const int consumer = warpgroup_index();
  const int rank = CLUSTER > 1 ? static_cast<int>(cluster_rank()) : 0;
  if (threadIdx.x == 0) {
    prefetch_tensor_map(map_a);
    prefetch_tensor_map(map_b);
    pipeline.init(1, CONSUMERS * CLUSTER);
  }
  count_tiles(table, sums_of_warps, offsets, groups);
  if (CLUSTER > 1) cluster_sync();

  Schedule schedule(table, groups, N, rank);
  const int step = static_cast<int>(gridDim.x) / CLUSTER;
  int t = static_cast<int>(blockIdx.x) / CLUSTER;
  TileOfD tile;
  if (consumer == CONSUMERS) {
    warpgroup_reg_dealloc<PRODUCER_REGISTERS>();
    if (threadIdx.x == CONSUMERS * 128) {
      State state;
#pragma unroll 1
      for (; schedule.find(t, tile); t += step) {
#pragma unroll 1
        for (int k = 0; k < K; k += BK) {
          pipeline.acquire(state);
          pipeline.expect(state, kStageBytes);
          const unsigned stage = tiles + state.index * kStageBytes;
          TileA::load_part<CLUSTER>(rank, kAllRanks, stage, map_a, full[state.index], tile.m0, k, 0);
          TileB::load(stage + TileA::kBytes, map_b, full[state.index], tile.n0, k, tile.group);
          state.advance();
        }
      }
    }
  } else {
    warpgroup_reg_alloc<CONSUMER_REGISTERS>();
    const int first = consumer * kRows;
    Consumer multiplier{Operands(tiles, first, 0), pipeline, {}};
    GroupEpilogue epilogue{map_d, D, N, tiles + kOutAt + consumer * kOutStages * kOutStageBytes, 1 + consumer};
#pragma unroll 1
    for (; schedule.find(t, tile); t += step) {
      Accumulators accumulators;
      const int wanted = tile.rows <= first ? 0 : (tile.rows - first - 1) / 64 + 1;
      multiplier.multiply_all<kBlocks>(accumulators, wanted, K);
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        if constexpr (SWAP_AB)
          epilogue.store_columns(accumulators[i], tile.m0, tile.n0 + first + i * 64, tile.rows);
        else if (i < wanted)
          epilogue.store_rows(accumulators[i], tile.m0 + first + i * 64, tile.n0, tile.rows - first - i * 64);
      }
    }
    if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
  }
  __syncwarp();
  if (CLUSTER > 1) cluster_sync();
}
