// Rung 10, mma_multistage: mma.sync on tiles that flow through a ring of shared-memory stages.
//
// Idea      what mma.sync wants is fragments in registers, every cycle. STAGES tiles of A and B lie in shared memory:
//           cp.async fills the oldest one, 16 bytes at a time and past the registers, while the next is multiplied.
//           STAGES - 1 tiles are on their way, with one barrier per tile; the fragments of the next step are loaded
//           while the present ones are multiplied (sm80/mainloop.cuh). The ragged end of K is the first tile, so that
//           the loop has no special case.
// Parameters as mma_sync; STAGES.
// Expects   as mma_sync.
// Operations as mma_sync; one step's fragments more.
// Counted   256^3 bf16, defaults, on the emulated device: 524,288 bytes loaded from global memory, 1,933,312 from
//           shared memory (warps of 64 x 32); the formula gives the same.
// Lacks     wgmma, which reads shared memory itself: on an H200 mma.sync ends at about 63 % of the tensor peak.
//           gemm_sm80 is this rung with everything that a product wants besides.
// Predicted over mma_sync: the tensor pipe no longer waits for copies: up to 63 % of its peak, 1.8 times.
// Measured on H200, as mma_pipe, which had the same loop: 4096^3 bf16 at BM=128 BN=256 BK=64 WM=64 WN=64 STAGES=4 286.4
//   us, 480 TFLOP/s, 0.62 of cuBLASLt 13.1 (wgmma); at the defaults, which spill nowhere: 433 us.
#include "mma_rung.cuh"

extern __shared__ float4 shared[];  // STAGES x { tile of A, tile of B }; then an epilogue tile per warp

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, DTYPE* __restrict__ D, int M, int N, int K,
         int stride_a, int stride_b, float alpha) {
  const Origin at(N);
  const Loop::Warp warp;
  TileA a(A, at.m, M, 0, stride_a);
  TileB b(B, at.n, N, 0, stride_b);
  Loop::Accumulators accumulators = {};
  Loop::copy_ahead(a, b, shared_address(shared), K, 0);
  Loop::multiply(accumulators, a, b, warp, shared_address(shared), K);
  write_warp(accumulators, warp, shared, at, D, M, N, alpha);
}
