// naive: one thread per element, numbered along the rows; the definition and nothing else.
//
// Expects   anything. To be read first, and for shapes and types that the fast variant does not take.
// Lacks     everything from gemm's third rung on.
#include "activation.cuh"
#include "gemm/operands.cuh"

extern "C" __global__ void __launch_bounds__(256)
linear(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const DTYPE* __restrict__ bias_row,
       const DTYPE* __restrict__ C, DTYPE* __restrict__ D, int M, int N, int K, float alpha, float beta) {
  const long long element = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (element >= static_cast<long long>(M) * N) return;
  const int m = static_cast<int>(element / N);
  const int n = static_cast<int>(element % N);
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += a_at(A, m, k, M, K) * b_at(B, k, n, N, K);
  const float y = activate(alpha * sum + (BIAS ? to_float(bias_row[n]) : 0.0f));
  D[element] = from_float<DTYPE>(beta == 0.0f ? y : y + beta * to_float(C[element]));
}
