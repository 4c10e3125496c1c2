// Rung 17, pingpong: two consumers that alternate.
//
// Idea      each of two warpgroups has a tile of D of its own. While one multiplies, the other runs its epilogue: the
//           tensor cores never wait for anybody's. They alternate, a whole tile at a time, so that each finds
//           its stages full; at a named barrier one lets the other go on, and a consumer skips the stages of the
//           other.
//           Everything else is persistent.
// Parameters as persistent; BM, BN tile of a consumer.
// Expects   as persistent.
// Operations as persistent, with tiles half as large: more reads of L2 for the same products.
// Counted   256^3 bf16, defaults, on the emulated device: 524,288 bytes loaded from global memory, as the formula
//           says: a third more than persistent, whose tile is twice as wide.
// Lacks     tiles of 128 x 256: a consumer's registers hold 128 x 128 or 64 x 256 accumulators (gemm_sm90: 128 x
//           192).
// Predicted over persistent: the epilogue, 3 to 5 % of a tile at K = 4096, is hidden; 128 x 128 tiles read 60 bytes a
//           cycle and multiprocessor where 128 x 256 read 45, close to the port's 64: about even there, ahead where K
//           is short.
// Measured on an H200, every rung at its defaults in the same rounds, 4096^3 bf16: 189.1 us, 727 TFLOP/s; with 6 stages
//   182.3 us (an earlier run, as wgmma_turns, which had the same loop): what the epilogue no longer costs, the smaller
//   tiles do.
#include "common/sm90/pipeline.cuh"
#include "common/sm90/warpgroup.cuh"
#include "tma_epilogue.cuh"

constexpr int kBlocks = BM / 64;  // of a consumer, which has a tile of its own
constexpr int kMainloop = 4;      // named barriers kMainloop, kMainloop + 1: consumer 0, 1 may enter its main loop

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
  if (threadIdx.x == 0) pipeline.init(1, 1);
  __syncthreads();

  PipelineState<STAGES> state;
  if (group == 2) {
    warpgroup_reg_dealloc<40>();
    if (threadIdx.x == 2 * 128)
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
    const int stages_of_tile = (K - 1) / BK + 1;
    if (group == 1) {
      state.advance(stages_of_tile);
      NamedBarrier{kMainloop, 256}.arrive();
    }
#pragma unroll 1
    for (int tile = first + group * step; tile < tiles_m * tiles_n; tile += 2 * step) {
      const Origin at = tile_origin<GROUP>(tile, tiles_m, tiles_n);
      Accumulators<kBlocks> accumulators;
      int before = 0;
      NamedBarrier{kMainloop + group, 256}.sync();
#pragma unroll 1
      for (int k = 0; k < K; k += BK) {
        pipeline.wait(state);
        multiply_stage(accumulators, stages + state.index * kStageBytes, 0, k == 0);
        if (k > 0) {
          wgmma_wait<1>();
          if (threadIdx.x % 128 == 0) pipeline.release(before);
        }
        before = state.index;
        state.advance();
      }
      NamedBarrier{kMainloop + 1 - group, 256}.arrive();
      wgmma_wait<0>();
      if (threadIdx.x % 128 == 0) pipeline.release(before);
      state.advance(stages_of_tile);
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        wgmma_settle(accumulators[i]);
        store_by_tma(accumulators[i], out, 1 + group, map_d, at.m + i * 64, at.n, alpha);
      }
    }
    if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
  }
}
