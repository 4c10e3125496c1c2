// Rung 0, naive: one thread computes one element of D.
//
// Idea      the definition of the product, nothing else. Threads are numbered down the columns of D, the way a first
//           attempt often comes out: the 32 threads of a warp then read 32 rows of A, K elements apart, so that every
//           load touches 32 sectors to use 4 bytes of each, and every store does the same.
// Expects   anything: any M, N, K, layout and dtype.
// Operations 2 N^3 reads.
// Counted   256^3 fp32, defaults, on the emulated device: 134,217,728 bytes loaded from global memory; predicted: the
//           same.
// Lacks     coalesced access; reuse of what was loaded.
// Measured on H200: 272.0 ms, 0.505 TFLOP/s (fp32, 4096^3).
#include "operands.cuh"

extern "C" __global__ void __launch_bounds__(256)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, int stride_a, int stride_b,
         int stride_c, int stride_d, float alpha, float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(TRANS_A ? K : M) * stride_a);
  B = of_batch(B, static_cast<long long>(TRANS_B ? N : K) * stride_b);
  const long long element = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (element >= static_cast<long long>(M) * N) return;
  const int m = static_cast<int>(element % M);
  const int n = static_cast<int>(element / M);

  const Scales scales = GIVEN_SCALES.of(blockIdx.z, M, N, K);
  Accumulator sum = 0;
  for (int k = 0; k < K; ++k)
    sum += a_at(A, m, k, stride_a, stride_a) * scales.of_a(m, k, K) *
           (b_at(B, k, n, stride_b, stride_b) * scales.of_b(k, n, K));

  // Epilogue goes its own way to C and D, which is that of dense rows.
  const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
  const Added* from_c = of_batch(C, static_cast<long long>(M) * stride_c) + static_cast<long long>(m) * stride_c + n;
  Out* to_d = of_batch(D, static_cast<long long>(M) * stride_d) + static_cast<long long>(m) * stride_d + n;
  *to_d = epilogue.finish(m, n, sum, BIAS ? bias[n] : Added{}, epilogue.beta != Accumulator(0) ? *from_c : Added{});
}
