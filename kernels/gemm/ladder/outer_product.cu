// Rung 2, outer_product: one thread computes V x V elements of D by outer products.
//
// Idea      a tile of V x V elements a thread, with the loop over k outside: for each k a thread loads V numbers of A and
//           V of B and adds their outer product to V x V accumulators, which are in registers from the first k to the
//           last. Every number loaded serves V products. All later rungs, tensor cores too, are this loop. The other
//           order, one dot product after another, loads B once for every row and takes 3.4 times as long.
// Parameters V: rows and columns per thread.
// Expects   layout nn, D = alpha A B; any M, N, K.
// Operations 2 N^3 / V reads, all from global memory or what caches keep of it.
// Counted   256^3 fp32, defaults, on the emulated device: 33,554,432 bytes loaded from global memory; predicted: the
//           same.
// Lacks     sharing between threads: a row of A is still read by N / V threads, each for itself (next rung).
// Predicted over coalesced: 4 times fewer requests and bytes, but 0.85 of the sectors, for neighbouring lanes are V columns
//           apart: 1.2 where sectors are the limit, 4 where requests are.
// Measured on H200: 4096^3 fp32, V = 4: 11.1 ms, 12.3 TFLOP/s: 2.0 times coalesced.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, DTYPE* __restrict__ D, int M, int N, int K,
         float alpha) {
  const int tiles_n = (N - 1) / V + 1;
  const long long tile = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int m0 = static_cast<int>(tile / tiles_n) * V;
  const int n0 = static_cast<int>(tile % tiles_n) * V;
  if (m0 >= M) return;

  float accumulators[V][V] = {};
  for (int k = 0; k < K; ++k) {
    float a[V], b[V];
#pragma unroll
    for (int i = 0; i < V; ++i) {  // beyond an edge: the last row or column once more, and nobody writes the product
      const int m = m0 + i < M ? m0 + i : M - 1, n = n0 + i < N ? n0 + i : N - 1;
      a[i] = to_float(A[static_cast<long long>(m) * K + k]);
      b[i] = to_float(B[static_cast<long long>(k) * N + n]);
    }
#pragma unroll
    for (int i = 0; i < V; ++i)
#pragma unroll
      for (int j = 0; j < V; ++j) accumulators[i][j] += a[i] * b[j];
  }

#pragma unroll
  for (int i = 0; i < V; ++i)
#pragma unroll
    for (int j = 0; j < V; ++j)
      if (m0 + i < M && n0 + j < N)
        D[static_cast<long long>(m0 + i) * N + n0 + j] = from_float<DTYPE>(alpha * accumulators[i][j]);
}
