// Rung 15, persistent: blocks that take one tile of D after another, in an order that suits L2.
//
// Idea      * one block per multiprocessor. The producer does not wait for the epilogue: it fills the stages for the
//             next tile meanwhile, so that the consumers find them full, and TMA stores what the last tile left.
//           * who runs at one time should share rows of A and columns of B: GROUP rows of tiles are walked together,
//             column by column (rasterisation).
//           Everything else is tma_store.
// Parameters as tma_store; GROUP.
// Expects   as tma_store.
// Operations as tma_store.
// Counted   256^3 bf16, defaults, on the emulated device: 393,216 bytes loaded from global memory, as the formula
//           says; 10,756 instructions, 11,110 before.
// Lacks     anything in the tensor pipe while both consumers write: they end their tiles together.
// Predicted over tma_store: a tile no longer pays for its cold start, about 2000 cycles of some 70,000 at K = 4096,
//           nor for the end of its stores: 1.03 to 1.1; blocks that share L2 are chosen, not left to the hardware's
//           order.
// Measured on an H200, every rung at its defaults in the same rounds, 4096^3 bf16: 176.0 us, 781 TFLOP/s, 1.03 times as
//   fast as tma_store; cuBLASLt's best of its algorithms 176 to 181 us that day.
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
  const int tiles_m = (M - 1) / BM + 1, tiles_n = (N - 1) / BN + 1;
  const int first = static_cast<int>(blockIdx.x), step = static_cast<int>(gridDim.x);
  if (threadIdx.x == 0) pipeline.init(1, CONSUMERS);
  __syncthreads();

  PipelineState<STAGES> state;
  if (group == CONSUMERS) {
    warpgroup_reg_dealloc<40>();
    if (threadIdx.x == CONSUMERS * 128)
#pragma unroll 1
      for (int tile = first; tile < tiles_m * tiles_n; tile += step) {
        const Origin at = tile_origin<GROUP>(tile, tiles_m, tiles_n);
#pragma unroll 1
        for (int k = 0; k < K; k += BK) {
          pipeline.acquire(state);
          pipeline.expect(state, kStageBytes);
          const unsigned stage = stages + state.index * kStageBytes;
          TileA::load(stage, map_a, full[state.index], at.m, k);
          TileB::load(stage + TileA::kBytes, map_b, full[state.index], at.n, k);
          state.advance();
        }
      }
  } else {
    warpgroup_reg_alloc<232>();
    const unsigned out = stages + STAGES * kStageBytes + group * kOutBytes;
    const int row = group * kRows;
#pragma unroll 1
    for (int tile = first; tile < tiles_m * tiles_n; tile += step) {
      const Origin at = tile_origin<GROUP>(tile, tiles_m, tiles_n);
      Accumulators<kBlocks> accumulators;
      int before = 0;
#pragma unroll 1
      for (int k = 0; k < K; k += BK) {
        pipeline.wait(state);
        multiply_stage(accumulators, stages + state.index * kStageBytes, row, k == 0);
        if (k > 0) {
          wgmma_wait<1>();
          if (threadIdx.x % 128 == 0) pipeline.release(before);
        }
        before = state.index;
        state.advance();
      }
      wgmma_wait<0>();
      if (threadIdx.x % 128 == 0) pipeline.release(before);
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        wgmma_settle(accumulators[i]);
        store_by_tma(accumulators[i], out, 1 + group, map_d, at.m + row + i * 64, at.n, alpha);
      }
    }
    if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
  }
}
