// What D should be, in ACC, one dot product per thread; what `scale` means stands in family.toml. Output j is element
// index[j] of D, or j when index is null. beta = 0: C is not read; without bias, neither is bias_row.
#include "activation.cuh"
#include "gemm/operands.cuh"

/// Any grid of blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
reference(const DTYPE* A, const DTYPE* B, const DTYPE* bias_row, const DTYPE* C, int M, int N, int K, float alpha,
          float beta, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; place < count;
       place += threads) {
    const long long element = index != nullptr ? index[place] : place;
    const int m = static_cast<int>(element / N);
    const int n = static_cast<int>(element % N);
    ACC terms = 0, squares = 0;
    for (int k = 0; k < K; ++k) {
      const ACC term = static_cast<ACC>(a_at(A, m, k, M, K)) * b_at(B, k, n, N, K);
      terms += term;
      squares += term * term;
    }
    const ACC bias = BIAS ? ACC(to_float(bias_row[n])) : ACC(0);
    const ACC c = beta == 0.0f ? ACC(0) : ACC(beta) * to_float(C[element]);
    const ACC x = ACC(alpha) * terms + bias;
    value[place] = activate(x) + c;
    scale[place] = ACC(1.2) * sqrt(ACC(alpha) * ACC(alpha) * squares + bias * bias + c * c) + fabs(x) / 2;
  }
}
