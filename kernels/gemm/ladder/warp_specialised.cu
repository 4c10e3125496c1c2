// Rung 13, warp_specialised: a warp that loads and warpgroups that multiply.
//
// Idea      * the last warpgroup is a producer: one thread of it asks TMA for the next tile as soon as a stage is
//             empty. The others are consumers, which only multiply full stages. Nobody needs to be told twice: two
//             mbarriers a stage, `full` (the bytes have come) and `empty` (all consumers are done with it), and no
//             barrier of the block in the loop.
//           * CONSUMERS warpgroups share a tile of B, each with BM / CONSUMERS rows of A: tiles of 128 x 256.
//           * the producer gives up most of its registers to those that hold accumulators (setmaxnreg).
//           Everything else is multistage.
// Parameters BM, BN, BK tile of a block; STAGES; CONSUMERS.
// Expects   as wgmma_tma.
// Operations as wgmma_tma.
// Counted   256^3 bf16, defaults, on the emulated device: 393,216 bytes loaded from global memory; the formula gives
//           it.
// Lacks     an epilogue that does not keep the tensor cores waiting: numbers go to D two bytes at a time.
// Predicted over multistage: tiles of 128 x 256 read (1/128 + 1/256) / (2/128) = 0.75 times as much, and no barrier
//           stands between two products.
// Measured on an H200, every rung at its defaults in the same rounds, 4096^3 bf16: 227.5 us, 604 TFLOP/s, 1.09 times as
//   fast as multistage.
#include "common/sm90/pipeline.cuh"
#include "common/sm90/warpgroup.cuh"
#include "hopper_rung.cuh"

constexpr int kRows = BM / CONSUMERS, kBlocks = kRows / 64;  // of a consumer

/// STAGES x { tile of A, tile of B }.
extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, DTYPE* __restrict__ D, int M,
         int N, int K, float alpha) {
  __shared__ Mbarrier full[STAGES], empty[STAGES];
  const Pipeline<STAGES> pipeline{full, empty};
  const unsigned stages = shared_address(shared);
  const Origin at = tile_origin<8>(static_cast<int>(blockIdx.x), (M - 1) / BM + 1, (N - 1) / BN + 1);
  const int group = warpgroup_index();
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
      write_from_registers(accumulators[i], D, at.m + row + i * 64, at.n, M, N, alpha);
    }
  }
}
