// Rung 0, naive: one thread computes one element of D.
//
// Idea      the definition, nothing else: the thread looks for the group of its row (log2(groups) reads), and then
//           multiplies the row by a column of that group's matrix. Neighbouring threads have neighbouring columns.
// Expects   anything.
// Operations 2 tokens N K reads of A and B.
// Lacks     reuse of what was loaded.
#include "groups.cuh"

extern "C" __global__ void __launch_bounds__(256)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const int* __restrict__ offsets,
         DTYPE* __restrict__ D, int tokens, int N, int K, int groups) {
  const long long element = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (element >= static_cast<long long>(tokens) * N) return;
  const long long row = element / N;
  const int n = static_cast<int>(element % N);
  const int g = group_of(offsets, groups, static_cast<int>(row));

  Accumulator sum = 0;
  for (int k = 0; k < K; ++k) sum += to_accumulator(A[row * K + k]) * to_accumulator(b_at(B, g, k, n, N, K));
  D[element] = from_accumulator(sum);
}
