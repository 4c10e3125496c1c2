// Rung 9, mma_sync: the tensor core with its covers off.
//
// Idea      mma.sync says which lane holds which element, so that ldmatrix can bring a fragment from shared memory in
//           one instruction, transposed where the layout wants it, and shared memory can be arranged for it: the
//           16-byte chunks of a row are permuted (sm80/operand_tile.cuh) instead of padding the rows, and nothing
//           conflicts. One tile in shared memory: fetch, wait, multiply, wait.
// Parameters BM, BN, BK tile of a block; WM, WN of a warp. 64 x 64 needs 8 ldmatrix for 32 mma, 32 x 32 needs 4 for 8.
// Expects   bf16, fp16 or tf32, layout nn, D = alpha A B; rows of A and B of whole 16 bytes, of D of whole fours.
// Operations N^3 (1 / BM + 1 / BN) global reads, N^3 (1 / WM + 1 / WN) shared reads, N^3 / 2048 mma (tf32: / 1024).
// Counted   256^3 bf16, defaults, on the emulated device: 524,288 bytes loaded from global memory, 1,310,720 from
//           shared memory; the formula gives the same.
// Lacks     everything at once: copies, loads of fragments and products follow one another (next rung).
// Predicted over wmma: as many products, 0.71 of the shared bytes and no bank conflict: 1.4 where shared memory is the
//           limit.
// Measured on H200: 4096^3 bf16, defaults: 514 us, 267 TFLOP/s: 1.65 times wmma.
#include "mma_rung.cuh"

extern __shared__ float4 shared[];  // tile of A, tile of B; then an epilogue tile per warp

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, DTYPE* __restrict__ D, int M, int N, int K,
         int stride_a, int stride_b, float alpha) {
  const Origin at(N);
  const Loop::Warp warp;
  const unsigned tile = shared_address(shared);
  TileA a(A, at.m, M, 0, stride_a);
  TileB b(B, at.n, N, 0, stride_b);
  Loop::Accumulators accumulators = {};
  const int tiles = Loop::tiles_of(K);
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    a.copy_first(tile, 0, K - i * BK);
    b.copy_first(tile + TileA::kBytes, 0, K - i * BK);
    a.advance(BK);
    b.advance(BK);
    sm80::cp_async_commit();
    sm80::cp_async_wait<0>();
    __syncthreads();  // the tile is complete
#pragma unroll
    for (int step = 0; step < Loop::kSteps; ++step) {
      Loop::Fragments fragments;
      Loop::load(fragments, tile, warp, step);
      Loop::multiply(accumulators, fragments);
    }
    __syncthreads();  // nobody reads it any more
  }
  write_warp(accumulators, warp, shared, at, D, M, N, alpha);
}
