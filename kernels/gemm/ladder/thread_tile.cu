// Rung 2, thread_tile: one thread computes V x V elements of D, dot product by dot product.
//
// Idea      an element of A that is in a register may serve more than one product. For each of its V rows a thread
//           walks along k once; each a is loaded once and multiplied by V numbers of B, one for each of its columns.
// Parameters V: rows and columns per thread.
// Expects   anything.
// Operations N^3 / V reads of A and N^3 of B, where the naive kernels have 2 N^3.
// Counted   256^3 fp32, defaults, on the emulated device: 83,886,080 bytes loaded from global memory; predicted: the
//           same.
// Lacks     reuse of B: the V rows read the same columns of B one after another (next rung); coalescing: neighbouring
//           threads are V columns apart.
// Predicted over coalesced: 0.62 of the bytes, but 3.2 times the sectors, for the lanes of a warp are V columns apart:
//           slower.
// Measured on H200: 4096^3 fp32, V = 4: 37.4 ms, 3.7 TFLOP/s (coalesced: 22.6 ms): without sharing loads, tiles alone
//   lose.
#include "operands.cuh"

extern "C" __global__ void __launch_bounds__(256)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, float alpha,
         float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(M) * K);
  B = of_batch(B, static_cast<long long>(K) * N);
  const int tiles_n = (N - 1) / V + 1;
  const long long tile = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int m0 = static_cast<int>(tile / tiles_n) * V;
  const int n0 = static_cast<int>(tile % tiles_n) * V;
  const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
  const int columns = N - n0 < V ? N - n0 : V;

#pragma unroll 1
  for (int m = m0; m < m0 + V && m < M; ++m) {
    Accumulator accumulators[V] = {};
    for (int k = 0; k < K; ++k) {
      const Accumulator a = a_at(A, m, k, M, K);
#pragma unroll
      for (int j = 0; j < V; ++j)
        if (j < columns) accumulators[j] += a * b_at(B, k, n0 + j, N, K);
    }
#pragma unroll
    for (int j = 0; j < V; ++j)
      if (j < columns) epilogue(m, n0 + j, accumulators[j]);
  }
}
