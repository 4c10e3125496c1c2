// Rung 14, tma_store: accumulators leave through shared memory and TMA.
//
// Idea      wgmma leaves eight neighbours of a row in four lanes: written from there, a warp's store touches 8 rows
//           of 16 bytes, half a sector each. Instead stmatrix gathers 64 x 64 numbers in shared memory, swizzled, and
//           one instruction stores them, in whole lines, while the warpgroup goes on (tma_epilogue.cuh).
//           Everything else is warp_specialised.
// Parameters as warp_specialised.
// Expects   as wgmma_tma; rows of D of whole 16 bytes.
// Operations as warp_specialised; of D one write of shared memory and one read.
// Counted   256^3 bf16, defaults, on the emulated device: 393,216 bytes loaded from global memory, as the formula
//           says; 16,384 sectors in 56 requests where warp_specialised needs 28,672 in 2,088; 11,110 instructions
//           where it needs 19,046.
// Lacks     something to do meanwhile: the block ends with its tile, and the next begins with empty stages.
// Predicted over warp_specialised: BN / 2 guarded stores of 2 bytes a thread become BN / 16 stmatrix and a quarter of
//           the sectors; at K = 4096 the loop takes 64 rounds of 1024 cycles, the old epilogue some 10 % of that.
// Measured on an H200, every rung at its defaults in the same rounds, 4096^3 bf16: 181.7 us, 757 TFLOP/s, 1.25 times as
//   fast as warp_specialised: the old epilogue cost more than was predicted.
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
  const Origin at = tile_origin<8>(static_cast<int>(blockIdx.x), (M - 1) / BM + 1, (N - 1) / BN + 1);
  if (threadIdx.x == 0) pipeline.init(1, CONSUMERS);
  __syncthreads();

  PipelineState<STAGES> state;
  if (group == CONSUMERS) {
    warpgroup_reg_dealloc<40>();
    if (threadIdx.x != CONSUMERS * 128) return;
#pragma unroll 1
    for (int k = 0; k < K; k += BK) {
      pipeline.acquire(state);
      pipeline.expect(state, kStageBytes);
      const unsigned stage = stages + state.index * kStageBytes;
      TileA::load(stage, map_a, full[state.index], at.m, k);
      TileB::load(stage + TileA::kBytes, map_b, full[state.index], at.n, k);
      state.advance();
    }
  } else {
    warpgroup_reg_alloc<232>();
    const unsigned out = stages + STAGES * kStageBytes + group * kOutBytes;
    const int row = group * kRows;
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
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
      wgmma_settle(accumulators[i]);
      store_by_tma(accumulators[i], out, 1 + group, map_d, at.m + row + i * 64, at.n, alpha);
    }
    if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
  }
}
