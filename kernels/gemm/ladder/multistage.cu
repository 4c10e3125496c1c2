// Rung 12, multistage: STAGES tiles in shared memory; loads run ahead of the products.
//
// Idea      a ring of STAGES buffers, each with an mbarrier. When the products of a tile are done its buffer is asked
//           for again at once, STAGES - 1 tiles ahead: TMA works while wgmma does. Of two groups of wgmma one stays
//           in flight while the next is issued, so that the tensor cores do not drain between tiles either.
//           Everything else is wgmma_tma; the same warpgroup asks and multiplies.
// Parameters BM, BN, BK tile of a block; STAGES.
// Expects   as wgmma_tma.
// Operations as wgmma_tma.
// Counted   256^3 bf16, defaults, on the emulated device: 524,288 bytes loaded from global memory; the formula gives
//           it.
// Lacks     a producer of its own: the warp that asks is one of those that multiply, and a barrier of
//           the block stands in every round of the loop, between two products.
// Predicted over wgmma_tma: loads cost nothing where STAGES - 1 products (512 cycles each for 128 x 128 x 64) are
//           longer than a load's way (about 1000 cycles): 3 stages or more. What is left of a round is the product
//           and the barrier.
// Measured on an H200, every rung at its defaults in the same rounds, 4096^3 bf16: 247.6 us, 555 TFLOP/s, 1.18 times as
//   fast as wgmma_tma.
#include "common/sm90/pipeline.cuh"
#include "hopper_rung.cuh"

/// STAGES x { tile of A, tile of B }.
extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(128)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, DTYPE* __restrict__ D, int M,
         int N, int K, float alpha) {
  __shared__ Mbarrier full[STAGES];
  const unsigned stages = shared_address(shared);
  const Origin at = tile_origin<8>(static_cast<int>(blockIdx.x), (M - 1) / BM + 1, (N - 1) / BN + 1);
  const int tiles = (K - 1) / BK + 1;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) full[stage].init(1);
    fence_mbarrier_init();
    fence_proxy_async();
  }
  __syncthreads();

  PipelineState<STAGES> loading, state;
  int loaded = 0;
  const auto load_next = [&] {  // thread 0; the stage is free
    if (loaded == tiles) return;
    const unsigned stage = stages + loading.index * kStageBytes;
    full[loading.index].arrive_expect_tx(kStageBytes);
    TileA::load(stage, map_a, full[loading.index], at.m, loaded * BK);
    TileB::load(stage + TileA::kBytes, map_b, full[loading.index], at.n, loaded * BK);
    loading.advance();
    ++loaded;
  };
  if (threadIdx.x == 0)
    for (int i = 0; i < STAGES; ++i) load_next();

  Accumulators<BM / 64> accumulators;
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    full[state.index].wait(state.phase);
    multiply_stage(accumulators, stages + state.index * kStageBytes, 0, tile == 0);
    state.advance();
    if (tile == 0) continue;
    wgmma_wait<1>();  // the products of the tile before
    __syncthreads();  // in all four warps: its stage is free
    if (threadIdx.x == 0) load_next();
  }
  wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < BM / 64; ++i) {
    wgmma_settle(accumulators[i]);
    write_from_registers(accumulators[i], D, at.m + i * 64, at.n, M, N, alpha);
  }
}
