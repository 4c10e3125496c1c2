// mma_fused: gemm's mma_pipe with bias, activation and residual in its epilogue.
//
// Idea      sums are in registers when the product is done: adding a bias, bending them and adding a residual costs a few
//           instructions there, and a read and a write of all of D in a kernel of its own. What is not asked for is not
//           compiled.
// Parameters those of mma_pipe (gemm/mma_pipe.cu, which explains the main loop).
// Expects   bf16, fp16 or tf32; any layout; rows of A and B of whole 16 bytes, rows of D of whole fours.
// Lacks     an epilogue that overlaps the next tile's main loop (persistent blocks).
// Measured on H200: not yet.
#include "activation.cuh"
#include "gemm/mma_epilogue.cuh"
#include "gemm/raster.cuh"

extern __shared__ float4 shared[];  // as in mma_pipe

/// D = activation(alpha sum + bias) + beta C for 4 neighbours; C is not read when beta is 0.
struct WriteActivated {
  const DTYPE* bias_row;
  const DTYPE* C;
  DTYPE* D;
  int N;
  float alpha, beta;

  __device__ __forceinline__ void operator()(int m, int n, const float4& four) const {
    using Four = Vector<DTYPE, 4>;
    const long long at = static_cast<long long>(m) * N + n;
    const float sums[4] = {four.x, four.y, four.z, four.w};
    Four bias = {}, c = {}, d;
    if (BIAS) bias = *reinterpret_cast<const Four*>(bias_row + n);
    if (beta != 0.0f) c = *reinterpret_cast<const Four*>(C + at);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float y = activate(alpha * sums[e] + (BIAS ? to_float(bias.at[e]) : 0.0f));
      d.at[e] = from_float<DTYPE>(beta == 0.0f ? y : y + beta * to_float(c.at[e]));
    }
    *reinterpret_cast<Four*>(D + at) = d;
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
linear(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const DTYPE* __restrict__ bias_row,
       const DTYPE* __restrict__ C, DTYPE* __restrict__ D, int M, int N, int K, int stride_a, int stride_b, float alpha,
       float beta) {
  int m0, n0;
  tile_of(static_cast<int>(blockIdx.x), M, N, m0, n0);
  const WarpPlace warp;
  Sums sums = {};
  const OperandA a(A, m0, M, 0, stride_a);
  const OperandB b(B, n0, N, 0, stride_b);
  multiply(sums, a, b, warp, shared_address(shared), K, 0);
  write_sums<true>(sums, warp, shared, m0, n0, M, N, WriteActivated{bias_row, C, D, N, alpha, beta});
}
