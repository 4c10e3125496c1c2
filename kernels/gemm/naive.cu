// Rung 0, naive: one thread computes one element of D.
//
// Idea      the definition of the product, nothing else. Threads are numbered down the columns of D, the way a first
//           attempt often comes out: the 32 threads of a warp then read 32 rows of A, K elements apart, so that every
//           load touches 32 sectors to use 4 bytes of each, and every store does the same.
// Expects   anything: any M, N, K, layout and dtype.
// Operations 2 N^3 reads.
// Lacks     coalesced access; reuse of what was loaded.
// Measured on H200: 272.0 ms, 0.505 TFLOP/s (fp32, 4096^3).
#include "operands.cuh"

extern "C" __global__ void __launch_bounds__(256)
gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const DTYPE* __restrict__ C, DTYPE* __restrict__ D,
     int M, int N, int K, float alpha, float beta) {
  const long long element = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (element >= static_cast<long long>(M) * N) return;
  const int m = static_cast<int>(element % M);
  const int n = static_cast<int>(element / M);

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += a_at(A, m, k, M, K) * b_at(B, k, n, N, K);

  const long long offset = static_cast<long long>(m) * N + n;
  D[offset] = finish(sum, C, offset, alpha, beta);
}
