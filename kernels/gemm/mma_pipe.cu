// Rung 12, mma_pipe: mma.sync on tiles that flow through a ring of shared-memory stages.
//
// Idea      what mma.sync wants is fragments in registers, every cycle. Everything here serves that:
//           * STAGES tiles of A and B in shared memory. cp.async fills the oldest one, 16 bytes at a time and past the
//             registers, while the next is multiplied: STAGES - 1 tiles are on their way, one barrier per tile.
//           * ldmatrix reads a 16 x 16 fragment in one instruction, transposed if the layout wants it; the shared tiles
//             lie as in memory with their 16-byte chunks swizzled (mma_operand.cuh), so that neither side has bank
//             conflicts and every layout runs the same loop. Where k is not contiguous, tf32 reads words instead, and
//             int8 transposes pairs of bytes.
//           * a warp computes WM x WN: 64 x 64 needs 8 ldmatrix for 32 mma, 32 x 32 needs 4 for 8. The fragments of the
//             next step are loaded while the present ones are multiplied.
//           * the ragged end of K is the first tile, so that the loop has no special case.
//           * GROUP rows of tiles are walked together, so that blocks that run at one time share A and B in L2.
//           * sums leave through shared memory, in whole lines.
//           * PERSISTENT = 1: one block per multiprocessor, which takes one tile of D after another and copies the
//             first tiles of the next one while it writes its sums.
// Parameters BM, BN, BK tile of a block; WM, WN of a warp; STAGES; GROUP; MIN_BLOCKS per SM to leave registers for;
//           PERSISTENT.
// Expects   bf16, fp16, tf32 (fp32 of which 19 bits are read) or int8; any layout; rows of A and B of whole 16 bytes,
//           rows of D of whole fours (mma_ragged has no such wish). Tiles may hang over every edge.
// Operations N^3 (1 / BM + 1 / BN) global reads, N^3 (1 / WM + 1 / WN) shared reads, N^3 / 2048 mma (tf32: / 1024,
//           int8: / 4096).
// Counted   256^3 bf16, defaults, on the emulated device: 524,288 bytes loaded from global memory, 1,933,312 from
//           shared memory; the formula gives the same.
// Lacks     wgmma, which reads shared memory itself: on an H200 mma.sync ends at about 63 % of the tensor peak.
// Measured on H200: 4096^3, beside cuBLASLt 13.1 (wgmma): bf16 286.4 us, 480 TFLOP/s, 0.62 times as fast; tf32 607 us,
//   226 TFLOP/s, 0.57; int8 nt 156 us, 881 TOP/s, 0.61. bf16 at the defaults, which spill nowhere: 433 us.
#include "mma_epilogue.cuh"
#include "raster.cuh"

/// STAGES x { tile of A, tile of B }; in their place or (PERSISTENT) behind them a slab per warp.
extern __shared__ float4 shared[];

/// Rows of A and B are stride_a, stride_b elements apart. `front`: so many zeros stand before the first k of operands
/// whose k is contiguous (mma_ragged; else 0).
extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, int stride_a, int stride_b, int front,
         float alpha, float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(TRANS_A ? K : M) * stride_a);
  B = of_batch(B, static_cast<long long>(TRANS_B ? N : K) * stride_b);
  const WarpPlace warp;
  const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
  const auto operand_a = [&](int m0) { return OperandA(A, m0, M, TRANS_A ? -front : 0, stride_a); };
  const auto operand_b = [&](int n0) { return OperandB(B, n0, N, TRANS_B ? 0 : -front, stride_b); };
  int m0, n0;
  tile_of(static_cast<int>(blockIdx.x), M, N, m0, n0);
  OperandA a = operand_a(m0);
  OperandB b = operand_b(n0);
  if constexpr (PERSISTENT == 0) {
    Sums sums = {};
    multiply(sums, a, b, warp, shared_address(shared), K + front, front);
    write_sums<FOURS_D != 0>(sums, warp, shared, m0, n0, M, N, epilogue);
  } else {
    const int tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
    float4* slabs = shared + STAGES * kStageBytes / 16;
    copy_ahead(a, b, shared_address(shared), K + front, front);
#pragma unroll 1
    for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
      Sums sums = {};
      multiply_copied(sums, a, b, warp, shared_address(shared), K + front);
      const int present_m = m0, present_n = n0;
      if (tile + static_cast<int>(gridDim.x) < tiles) {  // on their way while the sums are written
        tile_of(tile + static_cast<int>(gridDim.x), M, N, m0, n0);
        a = operand_a(m0);
        b = operand_b(n0);
        copy_ahead(a, b, shared_address(shared), K + front, front);
      }
      write_sums<FOURS_D != 0>(sums, warp, slabs, present_m, present_n, M, N, epilogue);
    }
  }
}
