// Rung 11, wgmma_tma: one warpgroup, wgmma on tiles that TMA brings.
//
// Idea      * one thread asks TMA for a tile of A and one of B, in a single instruction per 128 bytes of width; TMA
//             computes the addresses, fills in zeros beyond the edges, swizzles, and counts the bytes at an mbarrier.
//           * wgmma multiplies 64 x BN by 32 bytes of k straight from shared memory: no ldmatrix, no fragments of A
//             and B in registers, one instruction where mma.sync needs BN / 2 and as many loads again.
//           Nothing overlaps within a block: the tile is loaded, then multiplied, then the next is loaded.
// Parameters BM, BN, BK tile of a block (BM / 64 instructions share B).
// Expects   bf16 or fp16, layout nn, D = alpha A B; rows of whole 16 bytes. Tiles may hang over every edge.
// Operations N^3 (1 / BM + 1 / BN) global reads, none of shared memory by threads.
// Counted   256^3 bf16, defaults, on the emulated device: 524,288 bytes loaded from global memory; the formula gives
//           it.
// Lacks     loads while it multiplies.
// Predicted over mma_multistage: the tensor pipe takes 4096 FLOP a cycle of an SM by wgmma and about 63 % of that by
//           mma.sync; what waiting costs (a load of 32 KiB takes as long as its product, 512 cycles, and the way there
//           again) is hidden only by the other blocks of an SM: 1.0 to 1.3.
// Measured on an H200, every rung at its defaults in the same rounds, 4096^3 bf16: 292.6 us, 470 TFLOP/s; 262 us at
//   BK=128 (an earlier run, as wgmma_tile, which had the same loop; mma_multistage at its best: 286 us).
#include "hopper_rung.cuh"

/// Tile of A, tile of B.
extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(128)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, DTYPE* __restrict__ D, int M,
         int N, int K, float alpha) {
  __shared__ Mbarrier full;
  const unsigned stage = shared_address(shared);
  const Origin at = tile_origin<8>(static_cast<int>(blockIdx.x), (M - 1) / BM + 1, (N - 1) / BN + 1);
  if (threadIdx.x == 0) {
    full.init(1);
    fence_mbarrier_init();
    fence_proxy_async();
  }
  __syncthreads();

  Accumulators<BM / 64> accumulators;
#pragma unroll 1
  for (int k = 0, tile = 0; k < K; k += BK, ++tile) {
    if (threadIdx.x == 0) {
      full.arrive_expect_tx(kStageBytes);
      TileA::load(stage, map_a, full, at.m, k);
      TileB::load(stage + TileA::kBytes, map_b, full, at.n, k);
    }
    full.wait(tile % 2);
    multiply_stage(accumulators, stage, 0, k == 0);
    wgmma_wait<0>();
    __syncthreads();  // all warps have multiplied before the tile is overwritten
  }
#pragma unroll
  for (int i = 0; i < BM / 64; ++i) {
    wgmma_settle(accumulators[i]);
    write_from_registers(accumulators[i], D, at.m + i * 64, at.n, M, N, alpha);
  }
}
