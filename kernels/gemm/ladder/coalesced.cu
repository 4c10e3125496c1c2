// Rung 1, coalesced: neighbouring threads compute neighbouring columns.
//
// Idea      the naive kernel with two lines exchanged. The 32 threads of a warp now share one row of D: in layout nn
//           they read one element of A (a broadcast) and 32 consecutive elements of B (one 128-byte line in fp32), and
//           they write one line.
// Expects   anything; layouts nt and tt keep B's loads K apart, which only a tile can mend (smem_tile).
// Operations 2 N^3 reads, each of A shared by a warp.
// Counted   256^3 fp32, defaults, on the emulated device: 134,217,728 bytes loaded from global memory; predicted: the
//           same.
// Lacks     reuse: every element of A is still loaded N times and every element of B M times, from caches at best.
// Predicted over naive: as many bytes in 6.4 times fewer sectors: a warp and one k touch 1 + 4, where naive has 32 + 1.
// Measured on H200: 22.59 ms, 6.08 TFLOP/s (fp32, 4096^3): 12.0 times the naive rung.
#include "operands.cuh"

extern "C" __global__ void __launch_bounds__(256)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, int stride_a, int stride_b,
         int stride_c, int stride_d, float alpha, float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(TRANS_A ? K : M) * stride_a);
  B = of_batch(B, static_cast<long long>(TRANS_B ? N : K) * stride_b);
  const long long element = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (element >= static_cast<long long>(M) * N) return;
  const int m = static_cast<int>(element / N);
  const int n = static_cast<int>(element % N);

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
