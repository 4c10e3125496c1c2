// What D should be, in ACC, and how large rounding errors may be; family.toml says what `scale` means. Output j is the
// element index[j] of D, or element j when index is null.
// It includes nothing that kernels are made of, save the number types: a mistake there must not be in both.
#include "common/types.cuh"

constexpr int kTile = 16;

/// The group whose rows offsets[g] up to offsets[g + 1] hold this one.
__device__ __forceinline__ int group_of(const int* offsets, int groups, long long row) {
  int g = 0;
  for (int step = 1 << 16; step > 0; step /= 2)
    if (g + step < groups && offsets[g + step] <= row) g += step;
  return g;
}

__device__ __forceinline__ ACC element(const DTYPE* B, int g, int k, int n, int N, int K) {
  const long long row = TRANS_B ? n : k, column = TRANS_B ? k : n;
  return to_float(B[static_cast<long long>(g) * K * N + row * (TRANS_B ? K : N) + column]);
}

struct Sums {
  ACC terms, squares;
};

__device__ __forceinline__ void add(Sums& sums, ACC a, ACC b) {
  const ACC term = a * b;
  sums.terms += term;
  sums.squares += term * term;
}

/// Chosen elements: each thread its own dot products.
__device__ void chosen(const DTYPE* A, const DTYPE* B, const int* offsets, int N, int K, int groups,
                       const long long* index, long long count, ACC* value, ACC* scale) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; place < count;
       place += threads) {
    const long long row = index[place] / N;
    const int n = static_cast<int>(index[place] % N);
    const int g = group_of(offsets, groups, row);
    Sums sums = {};
    for (int k = 0; k < K; ++k) add(sums, to_float(A[row * K + k]), element(B, g, k, n, N, K));
    value[place] = sums.terms;
    scale[place] = sqrt(sums.squares);
  }
}

/// The first `count` elements: tiles of 16 x 16 through shared memory, fast enough to check every element. A tile is
/// computed once for each group that has rows in it; each row keeps what its own group gave.
__device__ void all(const DTYPE* A, const DTYPE* B, const int* offsets, int N, int K, int groups, long long count,
                    ACC* value, ACC* scale) {
  __shared__ ACC a_tile[kTile][kTile + 1];
  __shared__ ACC b_tile[kTile][kTile + 1];
  const int x = static_cast<int>(threadIdx.x) % kTile;
  const int y = static_cast<int>(threadIdx.x) / kTile;
  const int rows = static_cast<int>((count - 1) / N) + 1;
  const int tiles_n = (N - 1) / kTile + 1;
  const long long tiles = static_cast<long long>((rows - 1) / kTile + 1) * tiles_n;
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int m0 = static_cast<int>(tile / tiles_n) * kTile;
    const int n0 = static_cast<int>(tile % tiles_n) * kTile;
    const int end = rows - m0 < kTile ? rows : m0 + kTile;
    for (int g = group_of(offsets, groups, m0); g < groups && offsets[g] < end; ++g) {
      if (offsets[g + 1] <= m0 || offsets[g + 1] == offsets[g]) continue;
      Sums sums = {};
      for (int k0 = 0; k0 < K; k0 += kTile) {
        // x runs along whatever is contiguous in memory
        const int column = TRANS_B ? y : x, b_k = TRANS_B ? x : y;
        a_tile[y][x] = m0 + y < end && k0 + x < K ? to_float(A[static_cast<long long>(m0 + y) * K + k0 + x]) : 0.0f;
        b_tile[b_k][column] = k0 + b_k < K && n0 + column < N ? element(B, g, k0 + b_k, n0 + column, N, K) : ACC(0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kTile; ++k) add(sums, a_tile[y][k], b_tile[k][x]);
        __syncthreads();
      }
      const int row = m0 + y;
      const long long element = static_cast<long long>(row) * N + n0 + x;
      if (row < offsets[g] || row >= offsets[g + 1] || row >= end || n0 + x >= N || element >= count) continue;
      value[element] = sums.terms;
      scale[element] = sqrt(sums.squares);
    }
  }
}

/// Any grid of blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    reference(const DTYPE* A, const DTYPE* B, const int* offsets, int N, int K, int groups, const long long* index,
              long long count, ACC* value, ACC* scale) {
  if (index != nullptr)
    chosen(A, B, offsets, N, K, groups, index, count, value, scale);
  else
    all(A, B, offsets, N, K, groups, count, value, scale);
}
