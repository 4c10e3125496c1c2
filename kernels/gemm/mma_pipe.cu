// Rung 12, mma_pipe: mma.sync on tiles that flow through a ring of shared-memory stages.
//
// Idea      what mma.sync wants is fragments in registers, every cycle. Everything here serves that:
//           * STAGES tiles of A and B in shared memory. cp.async fills the oldest one, 16 bytes at a time and past the
//             registers, while the next is multiplied: STAGES - 1 tiles are on their way, one barrier per tile.
//           * ldmatrix reads a 16 x 16 fragment in one instruction, transposed if the layout wants it; the shared tiles
//             lie as in memory with their 16-byte chunks swizzled (mma_operand.cuh), so that neither side has bank
//             conflicts and every layout runs the same loop. tf32 whose k is not contiguous reads words instead.
//           * a warp computes WM x WN: 64 x 64 needs 8 ldmatrix for 32 mma, 32 x 32 needs 4 for 8. The fragments of the
//             next step are loaded while the present ones are multiplied.
//           * the ragged end of K is the first tile, so that the loop has no special case.
//           * GROUP rows of tiles are walked together, so that blocks that run at one time share A and B in L2.
//           * sums leave through shared memory, in whole lines.
//           Rows that are not multiples of 16 bytes are first copied to where they are (mma_align.cuh).
// Parameters BM, BN, BK tile of a block; WM, WN of a warp; STAGES; GROUP; MIN_BLOCKS per SM to leave registers for.
// Expects   bf16, fp16 or tf32 (fp32 of which 19 bits are read); any M, N, K, layout, alignment.
// Operations per thread block: (M N K) / 2048 mma in all (tf32: / 1024); global reads K (M N / BN + N M / BM) elements;
//           shared reads 2 K M N (1 / WM + 1 / WN) / 2... of which each serves 16 or 8 multiplications.
// Lacks     wgmma, which reads shared memory itself: on an H200 mma.sync ends at about 63 % of the tensor peak.
// Measured on H200: not yet.
#include "mma_align.cuh"
#include "mma_epilogue.cuh"
#include "raster.cuh"

extern __shared__ float4 shared[];  // STAGES x { tile of A, tile of B }, then a slab per warp

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const DTYPE* __restrict__ aligned_A,
     const DTYPE* __restrict__ aligned_B, const DTYPE* __restrict__ C, DTYPE* __restrict__ D, int M, int N, int K,
     int stride_a, int stride_b, float alpha, float beta) {
  int m0, n0;
  tile_of(static_cast<int>(blockIdx.x), M, N, m0, n0);
  const WarpPlace warp;
  Sums sums = {};
  const OperandA a(ALIGNED_A ? A : aligned_A, m0, M, TRANS_A ? -FRONT : 0, stride_a);
  const OperandB b(ALIGNED_B ? B : aligned_B, n0, N, TRANS_B ? 0 : -FRONT, stride_b);
  multiply(sums, a, b, warp, shared_address(shared), K + FRONT, FRONT);
  write_sums<FOURS_D != 0>(sums, warp, shared, m0, n0, M, N, WriteD{C, D, N, alpha, beta});
}
