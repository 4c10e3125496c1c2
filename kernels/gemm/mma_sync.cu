// Rung 11, mma_sync: the tensor core with its covers off.
//
// Idea      mma.sync says which lane holds which element, so that ldmatrix can bring a fragment from shared memory in
//           one instruction, transposed where the layout wants it, and shared memory can be arranged for it: the
//           16-byte chunks of a row are permuted (mma_operand.cuh) instead of padding the rows, and nothing conflicts.
//           One tile in shared memory: fetch, wait, multiply, wait. What that waiting costs is the next rung's gain.
// Parameters BM, BN, BK tile of a block; WM, WN of a warp. 64 x 64 needs 8 ldmatrix for 32 mma, 32 x 32 needs 4 for 8.
// Expects   bf16, fp16, tf32 or int8; any layout; rows of A and B of whole 16 bytes, rows of D of whole fours.
// Operations N^3 (1 / BM + 1 / BN) global reads, N^3 (1 / WM + 1 / WN) shared reads, N^3 / 2048 mma (tf32: / 1024,
//           int8: / 4096).
// Counted   256^3 bf16, defaults, on the emulated device: 524,288 bytes loaded from global memory, 1,310,720 from
//           shared memory; the formula gives the same.
// Lacks     everything at once: copies, loads of fragments and multiplications take turns (next rung).
// Measured on H200: 4096^3 bf16, defaults: 514 us, 267 TFLOP/s: 1.65 times wmma.
#include "mma_epilogue.cuh"

extern __shared__ float4 shared[];  // tile of A, tile of B; then a slab per warp

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, int stride_a, int stride_b, float alpha,
         float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(TRANS_A ? K : M) * stride_a);
  B = of_batch(B, static_cast<long long>(TRANS_B ? N : K) * stride_b);
  const int tiles_n = (N - 1) / BN + 1;
  const int m0 = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int n0 = static_cast<int>(blockIdx.x) % tiles_n * BN;
  const WarpPlace warp;
  const unsigned tile = shared_address(shared);
  OperandA a(A, m0, M, 0, stride_a);
  OperandB b(B, n0, N, 0, stride_b);
  Sums sums = {};
  const int tiles = K / BK + (K % BK != 0);
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    a.copy_first(tile, 0, K - i * BK);
    b.copy_first(tile + OperandA::kBytes, 0, K - i * BK);
    a.advance(BK);
    b.advance(BK);
    commit_copies();
    wait_copies<0>();
    __syncthreads();  // the tile is complete
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      Fragments fragments;
      load_fragments(fragments, tile, warp, step);
      multiply_fragments(sums, fragments);
    }
    __syncthreads();  // nobody reads it any more
  }
  write_sums<true>(sums, warp, shared, m0, n0, M, N, Epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES));
}
