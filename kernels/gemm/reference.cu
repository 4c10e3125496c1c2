// What D should be, in ACC (double where the device is good at it), and how large rounding errors may be:
//   value = alpha sum(a b) + beta c        scale = sqrt(sum((alpha a b)^2) + (beta c)^2)
// Output j is the element index[j] of D, or element j when index is null. beta = 0: C is not read.
#include "operands.cuh"

constexpr int kTile = 16;

struct Sums { ACC terms, squares; };

__device__ __forceinline__ void add(Sums& sums, ACC a, ACC b) {
  const ACC term = a * b;
  sums.terms += term;
  sums.squares += term * term;
}

__device__ __forceinline__ void write(const Sums& sums, long long element, long long place, const DTYPE* C, float alpha,
                                      float beta, ACC* value, ACC* scale) {
  const ACC c = beta == 0.0f ? ACC(0) : ACC(beta) * to_float(C[element]);
  value[place] = ACC(alpha) * sums.terms + c;
  scale[place] = sqrt(ACC(alpha) * ACC(alpha) * sums.squares + c * c);
}

/// Chosen elements: each thread its own dot products.
__device__ void chosen(const DTYPE* A, const DTYPE* B, const DTYPE* C, int M, int N, int K, float alpha, float beta,
                       const long long* index, long long count, ACC* value, ACC* scale) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; place < count;
       place += threads) {
    const int m = static_cast<int>(index[place] / N);
    const int n = static_cast<int>(index[place] % N);
    Sums sums = {};
    for (int k = 0; k < K; ++k) add(sums, a_at(A, m, k, M, K), b_at(B, k, n, N, K));
    write(sums, index[place], place, C, alpha, beta, value, scale);
  }
}

/// The first `count` elements: tiles of 16 x 16 through shared memory, fast enough to check every element.
__device__ void all(const DTYPE* A, const DTYPE* B, const DTYPE* C, int M, int N, int K, float alpha, float beta,
                    long long count, ACC* value, ACC* scale) {
  __shared__ ACC a_tile[kTile][kTile + 1];
  __shared__ ACC b_tile[kTile][kTile + 1];
  const int x = static_cast<int>(threadIdx.x) % kTile;
  const int y = static_cast<int>(threadIdx.x) / kTile;
  const int rows = static_cast<int>((count - 1) / N) + 1;
  const long long tiles_n = (N - 1) / kTile + 1;
  const long long tiles = tiles_n * ((rows - 1) / kTile + 1);
  const int steps = K / kTile + (K % kTile != 0);
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int m0 = static_cast<int>(tile / tiles_n) * kTile;
    const int n0 = static_cast<int>(tile % tiles_n) * kTile;
    Sums sums = {};
    for (int step = 0; step < steps; ++step) {
      const int k0 = step * kTile;
      // x runs along whatever is contiguous in memory
      const int a_row = TRANS_A ? x : y, a_k = TRANS_A ? y : x;
      const int b_column = TRANS_B ? y : x, b_k = TRANS_B ? x : y;
      a_tile[a_row][a_k] = a_row < M - m0 && a_k < K - k0 ? a_at(A, m0 + a_row, k0 + a_k, M, K) : 0.0f;
      b_tile[b_k][b_column] = b_column < N - n0 && b_k < K - k0 ? b_at(B, k0 + b_k, n0 + b_column, N, K) : 0.0f;
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kTile; ++k) add(sums, a_tile[y][k], b_tile[k][x]);
      __syncthreads();
    }
    if (y >= M - m0 || x >= N - n0) continue;
    const long long element = static_cast<long long>(m0 + y) * N + (n0 + x);
    if (element < count) write(sums, element, element, C, alpha, beta, value, scale);
  }
}

/// Any grid of blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
reference(const DTYPE* A, const DTYPE* B, const DTYPE* C, int M, int N, int K, float alpha, float beta,
          const long long* index, long long count, ACC* value, ACC* scale) {
  if (index != nullptr)
    chosen(A, B, C, M, N, K, alpha, beta, index, count, value, scale);
  else
    all(A, B, C, M, N, K, alpha, beta, count, value, scale);
}
