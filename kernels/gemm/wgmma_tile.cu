// Rung 17, wgmma_tile: one warpgroup, wgmma on tiles that the copy engine brings.
//
// Idea      * one thread asks the copy engine (TMA) for a tile of A and one of B, in a single instruction per 128
//             bytes of width; the engine computes the addresses, fills in zeros beyond the edges, swizzles, and counts
//             the bytes at a barrier in shared memory.
//           * wgmma multiplies 64 x BN by 32 bytes of k straight from shared memory: no ldmatrix, no fragments of A
//             and B in registers, one instruction where mma.sync needs BN / 8 * 4 and as many loads again.
//           Nothing overlaps: the tile is copied, then multiplied, then the next is copied.
// Parameters BM, BN, BK tile of a block (BM / 64 instructions share B); GROUP rows of tiles walked together.
// Expects   bf16 or fp16, any layout; tf32, int8 with k contiguous in both operands (nt). Rows of whole 16 bytes.
//           Tiles may hang over every edge.
// Operations N^3 (1 / BM + 1 / BN) global reads, none of shared memory by threads.
// Lacks     copies while it multiplies.
// Measured on H200: 4096^3 bf16, BK=128 GROUP=4: 262 us, 524 TFLOP/s, 0.68 times as fast as cuBLASLt 13.1 (178.7 us,
//   best of 8 algorithms, same run); mma_pipe at its best: 286 us.
#include "raster.cuh"
#include "wgmma_promote.cuh"
#include "wgmma_sums.cuh"

using TileA = Tile<BM, !TRANS_A>;
using TileB = Tile<BN, TRANS_B != 0>;

/// Tile of A, tile of B.
extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(128)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         const Added* __restrict__ bias, const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K,
         float alpha, float beta SCALE_PARAMETERS) {
  __shared__ Barrier full;
  const unsigned tile_a = shared_address(shared);
  const unsigned tile_b = tile_a + TileA::kBytes;
  const int batch = static_cast<int>(blockIdx.z);
  int m0, n0;
  tile_of(static_cast<int>(blockIdx.x), M, N, m0, n0);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    fence_barriers();
  }
  __syncthreads();

  Sum sums[BM / 64][BN / 2];
#pragma unroll
  for (int i = 0; i < BM / 64; ++i)
#pragma unroll
    for (int j = 0; j < BN / 2; ++j) sums[i][j] = 0;
#pragma unroll 1
  for (int k = 0, tile = 0; k < K; k += BK, ++tile) {
    if (threadIdx.x == 0) {
      arrive_and_expect(&full, TileA::kBytes + TileB::kBytes);
      TileA::load(tile_a, map_a, m0, k, batch, &full);
      TileB::load(tile_b, map_b, n0, k, batch, &full);
    }
    wait(&full, tile % 2);
    if constexpr (PROMOTE != 0) {
      promote<TileA, TileB>(sums, tile_a, 0, tile_b, k, BlockScales(GIVEN_SCALES, m0, n0, M, N, K));
    } else {
      fence_sums();
#pragma unroll
      for (int step = 0; step < kSteps; ++step)
#pragma unroll
        for (int i = 0; i < BM / 64; ++i)
          multiply_tiles<TRANS_A, !TRANS_B>(sums[i], TileA::describe_step(tile_a, i * 64, step),
                                            TileB::describe_step(tile_b, 0, step), true);
      commit_products();
      wait_products<0>();
    }
    __syncthreads();  // all warps have multiplied before the tile is overwritten
  }
  const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
#pragma unroll
  for (int i = 0; i < BM / 64; ++i)
    write_sums<BN>(sums[i], static_cast<int>(threadIdx.x), m0 + i * 64, n0, M, N, epilogue);
}
